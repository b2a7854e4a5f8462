import { kindNames, type Mapping } from '@tastegraph/files';
import { Select } from '../components/field.tsx';
import { TableHead } from '../components/table.tsx';
import type { OpenedFile } from './open-file.ts';
import { type Choices, fieldNames, type Target, targetOf } from './plan.ts';

interface MappingTableProps {
  readonly opened: OpenedFile;
  readonly mapping: Mapping | undefined;
  readonly choices: Choices;
  readonly onChange: (choices: Choices) => void;
}

/** A CSV file has only texts, NDJSON also numbers and lists. */
const textOf = (cell: unknown) => {
  if (cell === undefined) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
};

const asText = (target: Target) => (typeof target === 'object' ? `field:${target.field}` : target);
const asTarget = (text: string): Target =>
  text.startsWith('field:') ? { field: text.slice('field:'.length) } : text === 'skip' ? 'skip' : 'attribute';

/** One line per column: its first value, what it becomes, and how its values are read. */
export function MappingTable({ opened, mapping, choices, onChange }: MappingTableProps) {
  const { columns, sample } = opened;
  const setTarget = (column: string, target: Target) => {
    const others = [...choices.targets].filter(
      ([name, other]) => name !== column && asText(other) !== asText(target),
    );
    const kept =
      typeof target === 'object' ? others : [...choices.targets].filter(([name]) => name !== column);
    onChange({ ...choices, targets: new Map([...kept, [column, target]]) });
  };
  const readAs = (column: string) => {
    const found = [...(mapping?.fields ?? []), ...(mapping?.attributes ?? [])].find(
      (one) => one.column === column,
    );
    return found ? kindNames[found.as] : '';
  };
  return (
    <div className="max-h-80 overflow-auto rounded-md border border-line">
      <table className="w-full">
        <TableHead
          columns={['Column', 'First value', 'Becomes', 'Read as'].map((title) => ({
            title,
            padding: 'px-3',
          }))}
        />
        <tbody className="divide-y divide-line">
          {columns.map((column, index) => (
            <tr key={`${index}-${column}`}>
              <th scope="row" className="max-w-40 truncate px-3 py-1.5 text-left font-medium">
                {column}
              </th>
              <td className="max-w-48 truncate px-3 py-1.5 text-muted">{textOf(sample[0]?.[index])}</td>
              <td className="px-3 py-1.5">
                <Select
                  aria-label={`Column ${column} becomes`}
                  value={asText(targetOf(mapping, column, choices.targets))}
                  choices={[
                    ...fieldNames(choices.kind).map(
                      ({ name, required }) =>
                        [`field:${name}`, `${name}${required ? ' (required)' : ''}`] as const,
                    ),
                    ['attribute', 'an attribute'],
                    ['skip', 'not imported'],
                  ]}
                  onChange={(target) => setTarget(column, asTarget(target))}
                />
              </td>
              <td className="px-3 py-1.5 whitespace-nowrap text-muted">{readAs(column)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
