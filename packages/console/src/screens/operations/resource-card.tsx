import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Card } from '../../components/card.tsx';
import { EmptyState, ErrorState, type QueryLike, QueryView } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';

interface ResourceCardProps<T> {
  readonly title: string;
  readonly hint: string;
  readonly query: QueryLike<readonly T[]>;
  /** The button that creates one, beside the title or where there are none yet. False without the permission. */
  readonly create: ReactNode;
  /** Beside the title, instead of `create`. */
  readonly actions?: ReactNode;
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly text: string };
  /** Of a change to one of them. */
  readonly error?: unknown;
  readonly keyOf: (resource: T) => string;
  readonly columns: readonly Column<T>[];
  readonly className: string;
  /** Below the table. */
  readonly children: ReactNode;
}

/** Things that people create, change and delete, as a table. */
export function ResourceCard<T>(props: ResourceCardProps<T>) {
  const { title, hint, query, create, empty, error = null, keyOf, columns, className, children } = props;
  const actions = props.actions ?? (query.data?.length !== 0 && create);
  return (
    <Card title={title} hint={hint} actions={actions}>
      {error !== null && <ErrorState error={error} />}
      <QueryView query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={empty.icon} title={empty.title} action={create}>
              {empty.text}
            </EmptyState>
          ) : (
            <Table rows={rows} keyOf={keyOf} columns={columns} className={className} />
          )
        }
      </QueryView>
      {children}
    </Card>
  );
}
