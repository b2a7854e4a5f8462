import { ApiError, ConnectionError, TimeoutError } from '@tastegraph/sdk';
import clsx from 'clsx';
import { CircleAlert, type LucideIcon, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** Says what belongs here, and how to get it. */
export function EmptyState(props: {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  const { icon: Icon, title, children, action } = props;
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <div className="flex size-10 items-center justify-center rounded-full bg-accent-soft text-accent-text [&_svg]:size-5">
        <Icon aria-hidden />
      </div>
      <p className="font-semibold">{title}</p>
      <div className="max-w-md text-muted">{children}</div>
      {action !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { text, advice, requestId } = describeError(error);
  return (
    <div role="alert" className="m-4 flex flex-wrap gap-3 rounded-md bg-bad-soft p-3 text-bad">
      <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1 basis-48 break-words">
        <p className="font-medium">{text}</p>
        {advice !== undefined && <p>{advice}</p>}
        {requestId !== undefined && <p className="mt-1 text-xs">Request ID: {requestId}</p>}
      </div>
      {onRetry && (
        <Button onClick={onRetry}>
          <RotateCw aria-hidden /> Try again
        </Button>
      )}
    </div>
  );
}

interface Described {
  readonly text: string;
  /** What to do about it, where the text does not say so. */
  readonly advice?: string | undefined;
  readonly requestId?: string | undefined;
}

const unreachable: Described = {
  text: 'The service did not respond.',
  advice: 'Check your network connection and that the service is running, then try again.',
};

/** What to show of an error: the service's own words where there are some. */
export function describeError(error: unknown): Described {
  // Browsers report an unreachable server as a TypeError of `fetch`.
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof TypeError)
    return unreachable;
  if (error instanceof ApiError) {
    // The detail of a single field says the same.
    const fields = error.errors
      .map(({ path, message }) => `${path} ${message}`)
      .filter((text) => !error.detail.includes(text))
      .join('; ');
    return {
      text: fields === '' ? error.detail : `${error.detail} (${fields})`,
      advice: adviceFor(error),
      requestId: error.requestId,
    };
  }
  return { text: error instanceof Error ? error.message : String(error) };
}

/** In words for somebody in front of a page: the SDK's are for programmers. What is invalid or in conflict says so itself. */
function adviceFor({ code, status, retryAfterSeconds }: ApiError): string | undefined {
  if (code === 'NOT_FOUND') return 'It may have been deleted. Reload the page to see what exists.';
  if (code === 'ROLE_MISSING') return 'Ask an owner of the account for a role that allows this.';
  if (code === 'INTERNAL') return 'Try again. If the problem persists, report the request ID.';
  if (status === 429 || status >= 500)
    return retryAfterSeconds !== undefined && retryAfterSeconds > 1
      ? `The service is busy or restarting. Try again in ${retryAfterSeconds} seconds.`
      : 'The service is busy or restarting. Try again in a moment.';
  return undefined;
}

/** Lines where a list or a text will be. */
export function Skeleton(props: { lines?: number; label?: string; className?: string }) {
  const { lines = 4, label = 'Loading', className = 'p-4' } = props;
  return (
    <div role="status" aria-label={label} className={clsx('space-y-3', className)}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="h-4 animate-pulse rounded bg-sunken odd:w-11/12 even:w-4/5" />
      ))}
    </div>
  );
}

/** What a view needs to know of a query. */
export interface QueryLike<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isError: boolean;
  refetch(): Promise<unknown>;
}

/** The first error of queries that a view needs, and a way to ask again for all that failed. Undefined if none has. */
export function failureOf(
  queries: readonly QueryLike<unknown>[],
): { readonly error: unknown; readonly retry: () => void } | undefined {
  const failed = queries.filter(({ isError, data }) => isError && data === undefined);
  return (
    failed[0] && {
      error: failed[0].error,
      retry: () => {
        for (const query of failed) void query.refetch();
      },
    }
  );
}

/** One of three: the data, what went wrong, or lines while it loads. */
export function QueryView<T>(props: {
  query: QueryLike<T>;
  lines?: number;
  children: (data: T) => ReactNode;
}): ReactNode {
  const { query, lines = 4, children } = props;
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton lines={lines} />;
}
