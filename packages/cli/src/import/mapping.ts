import { usageProblem } from '../problem.ts';
import { attributesColumn, fieldsOf, isRequired, type Kind } from './fields.ts';
import { guessAttributeKind, guessTimeKind } from './guess-kinds.ts';
import type { Cells } from './sources/source.ts';
import { timeKinds, type ValueKind } from './values.ts';

export interface MappedColumn {
  /** The record's field, or the attribute. */
  readonly name: string;
  readonly column: string;
  readonly place: number;
  readonly as: ValueKind;
}

/** Which column becomes what. */
export interface Mapping {
  readonly kind: Kind;
  readonly fields: readonly MappedColumn[];
  readonly attributes: readonly MappedColumn[];
  /** The place of a column that holds attributes as one object. */
  readonly attributesPlace: number | undefined;
  /** The type of all events, where no column has it. */
  readonly eventType: string | undefined;
  readonly skipped: readonly string[];
}

/** What the developer says of it; the rest is guessed. */
export interface MappingWishes {
  /** Field or attribute to column. */
  readonly map: ReadonlyMap<string, string>;
  /** Field or attribute to kind. */
  readonly as: ReadonlyMap<string, ValueKind>;
  readonly skip: readonly string[];
  readonly eventType: string | undefined;
}

export function makeMapping(
  kind: Kind,
  columns: readonly string[],
  sample: readonly Cells[],
  wishes: MappingWishes,
): Mapping {
  checkColumns(columns, wishes);
  const isTime = (name: string) => kind === 'events' && name === 'ts';
  const columnOf = assignFields(kind, columns, wishes);
  const kindOf = (name: string, column: string) => {
    const cells = sample.map((row) => row[columns.indexOf(column)]);
    return wishes.as.get(name) ?? (isTime(name) ? guessTimes(column, cells) : guessKind(name, cells));
  };
  const mapped = (name: string, column: string): MappedColumn => ({
    ...{ name, column, place: columns.indexOf(column), as: kindOf(name, column) },
  });
  const fields = [...columnOf].map(([name, column]) => mapped(name, column));
  const hasAttributes = columns.includes(attributesColumn) && !wishes.skip.includes(attributesColumn);
  const taken = new Set([...columnOf.values(), ...wishes.skip, attributesColumn]);
  const renamed = new Map([...wishes.map].map(([name, column]) => [column, name]));
  const attributes = columns
    .filter((column) => !taken.has(column) && column !== '')
    .map((column) => mapped(renamed.get(column) ?? column, column));
  const mapping: Mapping = {
    ...{ kind, fields, attributes, eventType: wishes.eventType, skipped: wishes.skip },
    attributesPlace: hasAttributes ? columns.indexOf(attributesColumn) : undefined,
  };
  checkComplete(mapping, columns);
  checkKinds(mapping, wishes.as);
  return mapping;
}

/**
 * NDJSON may name a column only after the rows that the mapping was made from, and shown. One that has the very name
 * of a field is that field; nothing else is guessed that nobody has seen.
 */
export function addLateColumns(mapping: Mapping, columns: readonly string[], known: number): Mapping {
  const late = columns.slice(known).map((column, n) => ({ name: column, column, place: known + n }));
  const free = fieldsOf[mapping.kind].filter(
    ({ name }) =>
      !mapping.fields.some((field) => field.name === name) &&
      !(name === 'event_type' && mapping.eventType !== undefined),
  );
  const isLateField = (column: string) => free.some(({ name }) => name === column);
  const lateFields = late.filter(({ column }) => isLateField(column));
  const lateAttributes = late.filter(
    ({ column }) => !isLateField(column) && column !== attributesColumn && column !== '',
  );
  return {
    ...mapping,
    fields: [...mapping.fields, ...lateFields.map((one) => ({ ...one, as: guessKind(one.name, []) }))],
    attributes: [...mapping.attributes, ...lateAttributes.map((one) => ({ ...one, as: 'as is' as const }))],
    attributesPlace: mapping.attributesPlace ?? late.find(({ column }) => column === attributesColumn)?.place,
  };
}

/** A column is one field at most, and what was said comes before what is guessed. */
function assignFields(kind: Kind, columns: readonly string[], wishes: MappingWishes): Map<string, string> {
  const assigned = new Map<string, string>();
  const spokenFor = new Set([...wishes.map.values(), ...wishes.skip]);
  for (const { name, aliases } of fieldsOf[kind]) {
    const said = wishes.map.get(name);
    if (name === 'event_type' && wishes.eventType !== undefined) continue;
    const guessed =
      said ??
      findColumn(
        aliases,
        columns.filter((column) => !spokenFor.has(column)),
      );
    if (guessed === undefined) continue;
    assigned.set(name, guessed);
    spokenFor.add(guessed);
  }
  return assigned;
}

function findColumn(aliases: readonly string[], columns: readonly string[]): string | undefined {
  const plain = columns.map((column) => column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));
  const alias = aliases.find((one) => plain.includes(one));
  return alias === undefined ? undefined : columns[plain.indexOf(alias)];
}

function guessKind(name: string, cells: readonly unknown[]): ValueKind {
  if (name === 'event_value') return 'number';
  return isField(name) ? 'text' : guessAttributeKind(cells);
}

const fieldNames = new Set(Object.values(fieldsOf).flatMap((fields) => fields.map(({ name }) => name)));
const isField = (name: string) => fieldNames.has(name);

function guessTimes(column: string, cells: readonly unknown[]): ValueKind {
  const kind = guessTimeKind(cells);
  if (kind !== undefined) return kind;
  const first = cells.find((cell) => cell !== '' && cell !== undefined);
  throw usageProblem(
    `The column ${column} is to be the time, and ${first === undefined ? 'is empty' : `holds ${JSON.stringify(first)}`}.`,
    'Times may be seconds, milliseconds, microseconds or nanoseconds since 1970, or dates as 2026-01-31 or 2026-01-31T10:00:00Z. Name another column with --map ts=COLUMN.',
  );
}

function checkColumns(columns: readonly string[], { map, skip }: MappingWishes): void {
  const unknown = [...map.values(), ...skip].find((column) => !columns.includes(column));
  if (unknown !== undefined)
    throw usageProblem(`There is no column ${unknown}.`, `The source has: ${columns.join(', ')}.`);
  const twice = columns.find(
    (column, place) => column !== '' && !skip.includes(column) && columns.indexOf(column) !== place,
  );
  if (twice !== undefined)
    throw usageProblem(
      `Two columns are called ${twice}.`,
      'Rename one in the header; or take the header away and name all columns with --columns.',
    );
}

function checkKinds({ kind, fields, attributes }: Mapping, as: MappingWishes['as']): void {
  const names = [...fields, ...attributes].map(({ name }) => name);
  for (const [name, valueKind] of as) {
    if (!names.includes(name))
      throw usageProblem(
        `--as ${name}=${valueKind} is of nothing that is imported.`,
        `It may name: ${names.join(', ')}.`,
      );
    const isTime = kind === 'events' && name === 'ts';
    if (timeKinds.has(valueKind) !== isTime && (isTime || valueKind !== 'iso'))
      throw usageProblem(
        `--as ${name}=${valueKind} does not fit.`,
        'The ts of events is s, ms, us, ns or iso; attributes are text, number, boolean, list or iso.',
      );
  }
}

function checkComplete({ kind, fields, eventType }: Mapping, columns: readonly string[]): void {
  const has = (name: string) => fields.some((field) => field.name === name);
  const missing = fieldsOf[kind].find(
    ({ name }) => isRequired(name) && !has(name) && !(name === 'event_type' && eventType !== undefined),
  );
  if (!missing) return;
  const { name } = missing;
  const other = name === 'event_type' ? ', or give all events the same type with --event-type TYPE' : '';
  throw usageProblem(
    `No column looks like ${name}. The source has: ${columns.join(', ')}.`,
    `Say which one it is with --map ${name}=COLUMN${other}. A file without a header: name its columns with --columns.`,
  );
}
