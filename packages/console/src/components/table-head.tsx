import clsx from 'clsx';

interface Column {
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

/** The names of a table's columns. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
  const last = columns.length - 1;
  return (
    <thead className="text-left align-bottom text-sm text-muted">
      <tr className="border-b border-line">
        {columns.map(({ title, hint, isNumber, isHidden, isWideOnly, padding }, index) => (
          <th
            key={title}
            scope="col"
            className={clsx(
              'py-2 font-medium',
              padding ?? (index === 0 || index === last ? 'px-4' : 'px-2'),
              isNumber && 'text-right',
              isWideOnly && 'max-sm:hidden',
            )}
          >
            {isHidden ? <span className="sr-only">{title}</span> : title}
            {hint !== undefined && <span className="block text-xs font-normal max-sm:hidden">{hint}</span>}
          </th>
        ))}
      </tr>
    </thead>
  );
}
