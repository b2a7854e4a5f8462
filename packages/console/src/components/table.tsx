import clsx from 'clsx';
import type { ReactNode } from 'react';
import { formatAgo, formatTime } from '../format.ts';

interface Heading {
  readonly title: string;
  /** A few words that explain the title. */
  readonly hint?: string;
  readonly isNumber?: boolean;
  /** For columns whose content explains itself. Screen readers still say the title. */
  readonly isHidden?: boolean;
  /** For columns that a phone has no room for. */
  readonly isWideOnly?: boolean;
  /** By default, wider at both ends of the table. */
  readonly padding?: string;
}

const paddingOf = ({ padding }: Heading, index: number, columns: readonly Heading[]) =>
  padding ?? (index === 0 || index === columns.length - 1 ? 'px-4' : 'px-2');

/** The names of a table's columns. */
export function TableHead({ columns }: { columns: readonly Heading[] }) {
  return (
    <thead className="text-left align-bottom text-sm text-muted">
      <tr className="border-b border-line">
        {columns.map((column, index) => {
          const { title, hint, isNumber, isHidden, isWideOnly } = column;
          return (
            <th
              key={title}
              scope="col"
              className={clsx(
                'py-2 font-medium',
                paddingOf(column, index, columns),
                isNumber && 'text-right',
                isWideOnly && 'max-sm:hidden',
              )}
            >
              {isHidden ? <span className="sr-only">{title}</span> : title}
              {hint !== undefined && <span className="block text-xs font-normal max-sm:hidden">{hint}</span>}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

export interface Column<T> extends Heading {
  readonly cell: (row: T) => ReactNode;
  readonly tooltip?: (row: T) => string | undefined;
  /** The cell is the heading of its row. */
  readonly isRowHeading?: boolean;
  readonly className?: string;
}

/** When something happened, with the exact time as a tooltip. `never` is shown where it has not. */
export const timeColumn = <Field extends string>(
  title: string,
  field: Field,
  never?: ReactNode,
): Column<Readonly<Record<Field, number | null>>> => ({
  title,
  className: 'whitespace-nowrap',
  tooltip: ({ [field]: ts }) => (ts === null ? undefined : formatTime(ts)),
  cell: ({ [field]: ts }) => (ts === null ? <span className="text-muted">{never}</span> : formatAgo(ts)),
});

interface TableProps<T> {
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly columns: readonly Column<T>[];
  /** Narrower than this, the table scrolls sideways. */
  readonly className?: string;
  readonly isSelected?: (row: T) => boolean;
}

/** A row for each element of a list. */
export function Table<T>({ rows, keyOf, columns, className, isSelected }: TableProps<T>) {
  return (
    <div className="relative overflow-x-auto">
      <table className={clsx('w-full', className)}>
        <TableHead columns={columns} />
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={keyOf(row)} className={isSelected?.(row) ? 'bg-accent-soft/50' : undefined}>
              {columns.map((column, index) => (
                <Cell
                  key={column.title}
                  column={column}
                  row={row}
                  padding={paddingOf(column, index, columns)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<T>({ column, row, padding }: { column: Column<T>; row: T; padding: string }) {
  const { cell, tooltip, isRowHeading, isNumber, isWideOnly, className } = column;
  const shared = clsx(
    'py-2',
    padding,
    isNumber && 'text-right tabular-nums',
    isWideOnly && 'max-sm:hidden',
    className,
  );
  if (isRowHeading)
    return (
      <th scope="row" title={tooltip?.(row)} className={clsx(shared, 'text-left font-medium')}>
        {cell(row)}
      </th>
    );
  return (
    <td title={tooltip?.(row)} className={shared}>
      {cell(row)}
    </td>
  );
}
