import type { ReactNode } from 'react';

interface Row {
  readonly id: string | number;
  readonly title: string;
  /** One per column. */
  readonly figures: readonly ReactNode[];
}

interface FiguresTableProps {
  readonly label: string;
  /** What the first column has. */
  readonly heading: string;
  readonly columns: readonly string[];
  /** The columns that are words, aligned to the left. */
  readonly texts?: readonly string[];
  readonly rows: readonly Row[];
}

/** The figures of a chart, for those who want to read them. */
export function FiguresTable({ label, heading, columns, texts = [], rows }: FiguresTableProps) {
  const alignmentOf = (column: string) => (texts.includes(column) ? '' : 'text-right');
  return (
    <div className="relative mt-2 max-h-64 overflow-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full">
        <thead className="text-left text-muted">
          <tr>
            <th scope="col" className="py-1 pr-2 font-medium">
              {heading}
            </th>
            {columns.map((name) => (
              <th key={name} scope="col" className={`px-2 py-1 font-medium ${alignmentOf(name)}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, title, figures }) => (
            <tr key={id}>
              <th scope="row" className="max-w-52 truncate pr-2 text-left font-normal">
                {title}
              </th>
              {columns.map((name, index) => (
                <td key={name} className={`px-2 whitespace-nowrap tabular-nums ${alignmentOf(name)}`}>
                  {figures[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
