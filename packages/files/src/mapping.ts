import { attributesColumn, fieldsOf, isRequired, type Kind } from './fields.ts';
import { guessAttributeKind, guessTimeKind, isTime } from './guess-kinds.ts';
import { SourceError } from './source-error.ts';
import type { Cells } from './sources/source.ts';
import { timeKinds, type ValueKind } from './values.ts';

export interface MappedColumn {
  /** The field of the record, or the attribute. */
  readonly name: string;
  readonly column: string;
  readonly index: number;
  readonly as: ValueKind;
}

/** Which column becomes which field or attribute. */
export interface Mapping {
  readonly kind: Kind;
  readonly fields: readonly MappedColumn[];
  readonly attributes: readonly MappedColumn[];
  /** The index of the column that contains all attributes as one object. */
  readonly attributesIndex: number | undefined;
  /** The type of all events, if no column has it. */
  readonly eventType: string | undefined;
  readonly skipped: readonly string[];
}

/** What the user sets; the rest is guessed. */
export interface MappingOptions {
  /** Field or attribute to column. */
  readonly map: ReadonlyMap<string, string>;
  /** Field or attribute to type. */
  readonly as: ReadonlyMap<string, ValueKind>;
  readonly skip: readonly string[];
  readonly eventType: string | undefined;
}

export function createMapping(
  kind: Kind,
  columns: readonly string[],
  sample: readonly Cells[],
  options: MappingOptions,
): Mapping {
  checkColumns(columns, options);
  const isTime = (name: string) => kind === 'events' && name === 'ts';
  const columnOf = assignFields(kind, columns, options);
  const kindOf = (name: string, column: string) => {
    const index = columns.indexOf(column);
    const cells = sample.map((row) => row[index]);
    return options.as.get(name) ?? (isTime(name) ? guessTimeUnit(column, cells) : guessKind(name, cells));
  };
  const mapped = (name: string, column: string): MappedColumn => ({
    name,
    column,
    index: columns.indexOf(column),
    as: kindOf(name, column),
  });
  const fields = [...columnOf].map(([name, column]) => mapped(name, column));
  const hasAttributes = columns.includes(attributesColumn) && !options.skip.includes(attributesColumn);
  const taken = new Set([...columnOf.values(), ...options.skip, attributesColumn]);
  const renamed = new Map([...options.map].map(([name, column]) => [column, name]));
  const attributes = columns
    .filter((column) => !taken.has(column) && column !== '')
    .map((column) => mapped(renamed.get(column) ?? column, column));
  const mapping: Mapping = {
    kind,
    fields,
    attributes,
    eventType: options.eventType,
    skipped: options.skip,
    attributesIndex: hasAttributes ? columns.indexOf(attributesColumn) : undefined,
  };
  checkComplete(mapping, columns);
  checkKinds(mapping, options.as);
  return mapping;
}

/** In NDJSON, a column may appear after the mapping was shown. It becomes a field only by its exact name: nothing unseen is guessed. */
export function addLateColumns(mapping: Mapping, columns: readonly string[], known: number): Mapping {
  const late = columns.slice(known).map((column, n) => ({ name: column, column, index: known + n }));
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
    attributesIndex: mapping.attributesIndex ?? late.find(({ column }) => column === attributesColumn)?.index,
  };
}

/** Assigns each column to at most one field. Explicit options take precedence over guesses. */
function assignFields(kind: Kind, columns: readonly string[], options: MappingOptions): Map<string, string> {
  const assigned = new Map<string, string>();
  const claimed = new Set([...options.map.values(), ...options.skip]);
  for (const { name, aliases } of fieldsOf[kind]) {
    const explicit = options.map.get(name);
    if (name === 'event_type' && options.eventType !== undefined) continue;
    const guessed =
      explicit ??
      findColumn(
        aliases,
        columns.filter((column) => !claimed.has(column)),
      );
    if (guessed === undefined) continue;
    assigned.set(name, guessed);
    claimed.add(guessed);
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

function guessTimeUnit(column: string, cells: readonly unknown[]): ValueKind {
  const kind = guessTimeKind(cells);
  if (kind !== undefined) return kind;
  const row = cells.findIndex((cell) => cell !== '' && cell !== undefined && cell !== null && !isTime(cell));
  throw new SourceError(
    row < 0
      ? `Column ${column} is mapped to ts but is empty.`
      : `Column ${column} is mapped to ts but contains ${JSON.stringify(cells[row])} (row ${row + 1}), which is not a time.`,
    'A time is a number of seconds, milliseconds, microseconds or nanoseconds since 1970, or a date such as 2026-01-31 or 2026-01-31T10:00:00Z. To use another column, pass --map ts=COLUMN.',
  );
}

function checkColumns(columns: readonly string[], { map, skip }: MappingOptions): void {
  const unknown = [...map.values(), ...skip].find((column) => !columns.includes(column));
  if (unknown !== undefined)
    throw new SourceError(
      `The source has no column ${unknown}.`,
      `Use one of its columns: ${columns.join(', ')}.`,
    );
  const twice = columns.find(
    (column, index) => column !== '' && !skip.includes(column) && columns.indexOf(column) !== index,
  );
  if (twice !== undefined)
    throw new SourceError(
      `Two columns are named ${twice}.`,
      'Rename one in the header, or remove the header and name all columns with --columns.',
    );
}

function checkKinds({ kind, fields, attributes }: Mapping, as: MappingOptions['as']): void {
  const names = [...fields, ...attributes].map(({ name }) => name);
  for (const [name, valueKind] of as) {
    if (!names.includes(name))
      throw new SourceError(
        `--as ${name}=${valueKind}: ${name} is not imported.`,
        `Use one of: ${names.join(', ')}.`,
      );
    const isTime = kind === 'events' && name === 'ts';
    if (timeKinds.has(valueKind) !== isTime && (isTime || valueKind !== 'iso'))
      throw new SourceError(
        `--as ${name}=${valueKind}: this type is not allowed for ${name}.`,
        'Use s, ms, us, ns or iso for the ts of events, and text, number, boolean, list or iso for attributes.',
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
  const other = name === 'event_type' ? ', or set one type for all events with --event-type TYPE' : '';
  throw new SourceError(
    `No column looks like ${name}. The source has: ${columns.join(', ')}.`,
    `Map a column with --map ${name}=COLUMN${other}. If the file has no header, name its columns with --columns.`,
  );
}
