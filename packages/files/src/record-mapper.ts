import type { EventRecord, ItemRecord, UserRecord } from '@tastegraph/sdk';
import { addLateColumns, type Mapping } from './mapping.ts';
import { sha256 } from './sha256.ts';
import { parseJson } from './sources/json.ts';
import type { Cells } from './sources/source.ts';
import { convert, toId } from './values.ts';

export type AnyRecord = UserRecord | ItemRecord | EventRecord;

/** Longer generated IDs are hashed. Do not change it: importing the same file again would create new events. */
const maxIdLength = 256;
const controlCharacters = /\p{Cc}/u;

/** Converts rows to records. Invalid values are sent unchanged: only the service validates records. */
export function createRecordMapper(
  mapping: Mapping,
  columns: readonly string[],
): (cells: Cells) => AnyRecord {
  let current = mapping;
  let known = columns.length;
  let toRecord = compileMapping(mapping);
  return (cells) => {
    if (columns.length > known) {
      current = addLateColumns(current, columns, known);
      known = columns.length;
      toRecord = compileMapping(current);
    }
    return toRecord(cells);
  };
}

function compileMapping(mapping: Mapping): (cells: Cells) => AnyRecord {
  const attributesOf = compileAttributes(mapping);
  const columnIndex = (name: string) => mapping.fields.find((field) => field.name === name)?.index ?? -1;
  if (mapping.kind !== 'events') {
    const idField = mapping.kind === 'users' ? 'user_id' : 'item_id';
    const idIndex = columnIndex(idField);
    return (cells) =>
      ({ [idField]: toId(cells[idIndex]), attributes: attributesOf(cells) ?? {} }) as AnyRecord;
  }
  const user = columnIndex('user_id');
  const item = columnIndex('item_id');
  const type = columnIndex('event_type');
  const value = columnIndex('event_value');
  const id = columnIndex('event_id');
  const recommendation = columnIndex('recommendation_id');
  const { index: ts, as } = mapping.fields.find((field) => field.name === 'ts') ?? {
    index: -1,
    as: 'ms' as const,
  };
  return (cells) => {
    const record: Record<string, unknown> = {
      event_id: undefined,
      user_id: toId(cells[user]),
      item_id: toId(cells[item]),
      ts: convert(cells[ts], as),
      event_type: type < 0 ? mapping.eventType : toId(cells[type]),
    };
    record['event_id'] = toId(cells[id]) ?? generateEventId(record);
    const event_value = value < 0 ? undefined : convert(cells[value], 'number');
    if (event_value !== undefined) record['event_value'] = event_value;
    const recommendation_id = recommendation < 0 ? undefined : toId(cells[recommendation]);
    if (recommendation_id !== undefined) record['recommendation_id'] = recommendation_id;
    const attributes = attributesOf(cells);
    if (attributes !== undefined) record['attributes'] = attributes;
    return record as AnyRecord;
  };
}

/** From user, item, time and type, so that the same line always gives the same event. Escaped bars keep different events apart. */
function generateEventId(record: Record<string, unknown>): string {
  const { user_id, item_id, ts, event_type } = record;
  const id = `${escapeBar(user_id)}|${escapeBar(item_id)}|${textOf(ts)}|${textOf(event_type)}`;
  // The service must report an invalid part under its own name, not as an invalid event_id.
  const canBeId = id.length <= maxIdLength && !controlCharacters.test(id);
  return canBeId ? id : sha256(id);
}

/** Anything else is not a valid part, and an object may have a `toString` that is not a function. */
const textOf = (part: unknown) =>
  typeof part === 'string' || typeof part === 'number' ? String(part) : typeof part;

function escapeBar(part: unknown): string {
  const text = textOf(part);
  return text.includes('|') || text.includes('\\') ? text.replaceAll(/[|\\]/g, '\\$&') : text;
}

/**
 * Returns undefined if the row has no attributes. An `attributes` cell that is not an object is sent unchanged. It takes
 * precedence over other columns, because JSON has types: an export has both.
 */
function compileAttributes({ attributes, attributesIndex = -1 }: Mapping) {
  return (cells: Cells): unknown => {
    const attributesCell = toObject(convert(cells[attributesIndex], 'as is'));
    if (attributesCell !== undefined && !isPlainObject(attributesCell)) return attributesCell;
    const record: Record<string, unknown> = {};
    let hasAny = attributesCell !== undefined;
    for (const { name, index, as } of attributes) {
      const value = convert(cells[index], as);
      if (value === undefined) continue;
      record[name] = value;
      hasAny = true;
    }
    return hasAny ? { ...record, ...attributesCell } : undefined;
  };
}

/** In CSV, an object is written as JSON text. */
function toObject(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  try {
    const value = parseJson(cell);
    return isPlainObject(value) ? value : cell;
  } catch {
    return cell;
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
