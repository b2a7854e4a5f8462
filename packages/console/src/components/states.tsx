import { ApiError } from '@tastegraph/sdk';
import { CircleAlert, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

/** Says what belongs here, and how to get it. */
export function EmptyState(props: {
  icon: ReactNode;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <div className="flex size-10 items-center justify-center rounded-full bg-accent-soft text-accent-text [&_svg]:size-5">
        {props.icon}
      </div>
      <p className="font-semibold">{props.title}</p>
      <div className="max-w-md text-muted">{props.children}</div>
      {props.action !== undefined && (
        <div className="mt-2 flex flex-wrap justify-center gap-2">{props.action}</div>
      )}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { text, requestId } = describeError(error);
  return (
    <div role="alert" className="m-4 flex gap-3 rounded-md bg-bad-soft p-3 text-bad">
      <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1 break-words">
        <p>{text}</p>
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

/** What to show of an error: the service's own words where there are some. */
export function describeError(error: unknown): { text: string; requestId?: string | undefined } {
  if (error instanceof ApiError) {
    // The detail of a single field says the same.
    const fields = error.errors
      .map(({ path, message }) => `${path} ${message}`)
      .filter((text) => !error.detail.includes(text))
      .join('; ');
    return { text: fields === '' ? error.detail : `${error.detail} (${fields})`, requestId: error.requestId };
  }
  return { text: error instanceof Error ? error.message : String(error) };
}

/** Lines where a list or a text will be. */
export function Skeleton({ lines = 4, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="space-y-3 p-4">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="h-4 animate-pulse rounded bg-sunken odd:w-11/12 even:w-4/5" />
      ))}
    </div>
  );
}

interface QueryLike<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isError: boolean;
  refetch(): Promise<unknown>;
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
