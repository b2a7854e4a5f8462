import { createHash } from 'node:crypto';
import type { EventRecord, ItemRecord, UserRecord } from '@tastegraph/sdk';
import { addLateColumns, type Mapping } from './mapping.ts';
import { parseJson } from './sources/json.ts';
import type { Cells } from './sources/source.ts';
import { convert, toId } from './values.ts';

export type AnyRecord = UserRecord | ItemRecord | EventRecord;

/** The contract's longest id. */
const longestId = 256;
const controlCharacters = /\p{Cc}/u;

/**
 * Makes a record of a row. What a row has wrong is sent as it is, and refused by the service, so that there is one
 * place that says what a record may be.
 */
export function recordMaker(mapping: Mapping, columns: readonly string[]): (cells: Cells) => AnyRecord {
  let grown = mapping;
  let known = columns.length;
  let make = makerOf(mapping);
  return (cells) => {
    if (columns.length > known) {
      grown = addLateColumns(grown, columns, known);
      known = columns.length;
      make = makerOf(grown);
    }
    return make(cells);
  };
}

function makerOf(mapping: Mapping): (cells: Cells) => AnyRecord {
  const attributesOf = attributesMaker(mapping);
  const placeOf = (name: string) => mapping.fields.find((field) => field.name === name)?.place ?? -1;
  if (mapping.kind !== 'events') {
    const idField = mapping.kind === 'users' ? 'user_id' : 'item_id';
    const idPlace = placeOf(idField);
    return (cells) =>
      ({ [idField]: toId(cells[idPlace]), attributes: attributesOf(cells) ?? {} }) as AnyRecord;
  }
  const [user, item, type, value, id] = [
    ...[
      placeOf('user_id'),
      placeOf('item_id'),
      placeOf('event_type'),
      placeOf('event_value'),
      placeOf('event_id'),
    ],
  ] as [number, number, number, number, number];
  const { place: ts, as } = mapping.fields.find((field) => field.name === 'ts') ?? {
    place: -1,
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
    record['event_id'] = toId(cells[id]) ?? makeEventId(record);
    const event_value = value < 0 ? undefined : convert(cells[value], 'number');
    if (event_value !== undefined) record['event_value'] = event_value;
    const attributes = attributesOf(cells);
    if (attributes !== undefined) record['attributes'] = attributes;
    return record as AnyRecord;
  };
}

/**
 * From user, item, time and type, so that the same line always makes the same event. A bar in an id is escaped: two
 * different events must never have one id.
 */
function makeEventId(record: Record<string, unknown>): string {
  const { user_id, item_id, ts, event_type } = record;
  const id = `${escapeBar(user_id)}|${escapeBar(item_id)}|${String(ts)}|${String(event_type)}`;
  // A part that is wrong is to be refused by its own name, not as a part of this.
  const canBeId = id.length <= longestId && !controlCharacters.test(id);
  return canBeId ? id : createHash('sha256').update(id).digest('hex');
}

function escapeBar(part: unknown): string {
  const text = String(part);
  return text.includes('|') || text.includes('\\') ? text.replaceAll(/[|\\]/g, '\\$&') : text;
}

/** Undefined when the row has none. A column `attributes` that holds no object is sent as it is. */
function attributesMaker({ attributes, attributesPlace = -1 }: Mapping) {
  return (cells: Cells): unknown => {
    const given = toObject(convert(cells[attributesPlace], 'as is'));
    if (given !== undefined && !isPlainObject(given)) return given;
    const record: Record<string, unknown> = { ...given };
    let some = given !== undefined;
    for (const { name, place, as } of attributes) {
      const value = convert(cells[place], as);
      if (value === undefined) continue;
      record[name] = value;
      some = true;
    }
    return some ? record : undefined;
  };
}

/** CSV can only hold an object as the text of one. */
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
