import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';

/** A section with a heading, which names it for assistive technology. */
export function Card(
  props: Omit<ComponentProps<'section'>, 'title'> & {
    title?: ReactNode;
    hint?: ReactNode;
    actions?: ReactNode;
  },
) {
  const { title, hint, actions, className, children, ...rest } = props;
  return (
    <section className={clsx('min-w-0 rounded-lg border border-line bg-card', className)} {...rest}>
      {title !== undefined && (
        <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
          <h2 className="font-semibold">{title}</h2>
          {hint !== undefined && <p className="text-sm text-muted">{hint}</p>}
          {actions !== undefined && (
            <div className="flex flex-wrap items-center gap-2 sm:ml-auto">{actions}</div>
          )}
        </header>
      )}
      {children}
    </section>
  );
}

export function PageHeader(props: { title: string; hint?: ReactNode; actions?: ReactNode }) {
  const { title, hint, actions } = props;
  return (
    <div className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-2">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {hint !== undefined && <p className="text-muted">{hint}</p>}
      </div>
      {actions !== undefined && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  );
}
