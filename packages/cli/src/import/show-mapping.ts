import { cell, table } from '../terminal/table.ts';
import { recordMaker } from './make-records.ts';
import type { MappedColumn, Mapping } from './mapping.ts';
import type { Cells } from './sources/source.ts';
import { kindNames } from './values.ts';

/** As many as somebody compares with the file at a glance. */
const shownRows = 3;

/** What becomes what, and how it looks in the first rows. */
export function showMapping(mapping: Mapping, columns: readonly string[], sample: readonly Cells[]): string {
  const make = recordMaker(mapping, columns);
  const records = sample.slice(0, shownRows).map((row) => make(row) as unknown as Record<string, unknown>);
  const shown = (read: (record: Record<string, unknown>) => unknown) =>
    records.map((record) => cell(read(record)));
  const field = ({ name, column, as }: MappedColumn) => [
    ...[name, column, kindNames[as]],
    ...shown((record) => (name === 'ts' ? readable(record['ts']) : plain(record[name]))),
  ];
  const attribute = ({ name, column, as }: MappedColumn) => [
    ...[`attributes.${name}`, column, kindNames[as]],
    ...shown(({ attributes }) => plain((attributes as Record<string, unknown> | undefined)?.[name])),
  ];
  const rows = [...mapping.fields.map(field), ...made(mapping, shown), ...mapping.attributes.map(attribute)];
  if (mapping.attributesPlace !== undefined)
    rows.push([
      'attributes',
      'attributes',
      'an object',
      ...shown(({ attributes }) => JSON.stringify(attributes)),
    ]);
  const heads = ['field', 'column', 'read as', ...records.map((_, place) => `row ${place + 1}`)];
  return table(heads, rows);
}

function made(
  { kind, fields, eventType }: Mapping,
  shown: (read: (record: Record<string, unknown>) => unknown) => string[],
): string[][] {
  if (kind !== 'events') return [];
  const rows: string[][] = [];
  if (eventType !== undefined) rows.push(['event_type', '(all)', 'text', ...shown(() => eventType)]);
  if (!fields.some(({ name }) => name === 'event_id'))
    rows.push(['event_id', '(made)', 'user, item, ts, type', ...shown(({ event_id }) => event_id)]);
  return rows;
}

/** Numbers as they will be sent, without the commas that a count has. */
const plain = (value: unknown) => (typeof value === 'number' ? String(value) : value);

/** A unit that was guessed wrongly shows itself as a date in 1970. */
function readable(ts: unknown): unknown {
  return typeof ts === 'number' && Number.isFinite(ts) && Math.abs(ts) < 8.64e15
    ? new Date(ts).toISOString()
    : ts;
}

export const madeIdsNotice =
  'The source has no event_id: it is made from user_id, item_id, ts and event_type, so that lines that are equal in these count once.';
