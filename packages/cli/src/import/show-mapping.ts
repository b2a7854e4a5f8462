import {
  type Cells,
  createRecordMapper,
  kindNames,
  type MappedColumn,
  type Mapping,
} from '@tastegraph/files';
import { cell, fitsTerminal, table } from '../terminal/table.ts';

/** Enough to compare with the file at a glance. */
const maxRows = 3;

/** A table of the mapping with the first rows, as many as fit the terminal. */
export function showMapping(mapping: Mapping, columns: readonly string[], sample: readonly Cells[]): string {
  for (let rows = Math.min(maxRows, sample.length); rows > 1; rows--) {
    const { heads, cells } = mappingCells(mapping, columns, sample.slice(0, rows));
    if (fitsTerminal(heads, cells)) return table(heads, cells);
  }
  const { heads, cells } = mappingCells(mapping, columns, sample.slice(0, 1));
  return table(heads, cells);
}

function mappingCells(mapping: Mapping, columns: readonly string[], sample: readonly Cells[]) {
  const toRecord = createRecordMapper(mapping, columns);
  const records = sample.map((row) => toRecord(row) as unknown as Record<string, unknown>);
  const shown = (read: (record: Record<string, unknown>) => unknown) =>
    records.map((record) => cell(read(record)));
  const field = ({ name, column, as }: MappedColumn) => [
    name,
    column,
    kindNames[as],
    ...shown((record) => (name === 'ts' ? formatTime(record['ts']) : plain(record[name]))),
  ];
  const attribute = ({ name, column, as }: MappedColumn) => [
    `attributes.${name}`,
    column,
    kindNames[as],
    ...shown(({ attributes }) => plain((attributes as Record<string, unknown> | undefined)?.[name])),
  ];
  const rows = [
    ...mapping.fields.map(field),
    ...generatedRows(mapping, shown),
    ...mapping.attributes.map(attribute),
  ];
  if (mapping.attributesIndex !== undefined)
    rows.push([
      'attributes',
      'attributes',
      'object',
      ...shown(({ attributes }) => JSON.stringify(attributes)),
    ]);
  const heads = ['field', 'column', 'type', ...records.map((_, index) => `row ${index + 1}`)];
  return { heads, cells: rows };
}

function generatedRows(
  { kind, fields, eventType }: Mapping,
  shown: (read: (record: Record<string, unknown>) => unknown) => string[],
): string[][] {
  if (kind !== 'events') return [];
  const rows: string[][] = [];
  if (eventType !== undefined) rows.push(['event_type', '(all)', 'text', ...shown(() => eventType)]);
  if (!fields.some(({ name }) => name === 'event_id'))
    rows.push(['event_id', '(generated)', 'user, item, ts, type', ...shown(({ event_id }) => event_id)]);
  return rows;
}

/** Shows numbers as they are sent, without thousands separators. */
const plain = (value: unknown) => (typeof value === 'number' ? String(value) : value);

/** Shown as a date, so that a wrong guess of the unit is obvious. */
function formatTime(ts: unknown): unknown {
  return typeof ts === 'number' && Number.isFinite(ts) && Math.abs(ts) < 8.64e15
    ? new Date(ts).toISOString()
    : ts;
}

export const generatedIdsNotice =
  'The source has no event_id. It is generated from user_id, item_id, ts and event_type, so rows that are equal in all four become one event.';
