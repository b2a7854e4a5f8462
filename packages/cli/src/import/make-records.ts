import { createHash } from 'node:crypto';
import type { EventRecord, ItemRecord, UserRecord } from '@tastegraph/sdk';
import type { Mapping } from './mapping.ts';
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
  const attributesOf = attributesMaker(mapping, columns);
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
    record['event_id'] = id < 0 ? makeEventId(record) : toId(cells[id]);
    const event_value = value < 0 ? undefined : convert(cells[value], 'number');
    if (event_value !== undefined) record['event_value'] = event_value;
    const attributes = attributesOf(cells);
    if (attributes) record['attributes'] = attributes;
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

/** Undefined when the row has none. */
function attributesMaker(mapping: Mapping, columns: readonly string[]) {
  const { attributes, attributesPlace } = mapping;
  const known = columns.length;
  return (cells: Cells): Record<string, unknown> | undefined => {
    const given = attributesPlace === undefined ? undefined : cells[attributesPlace];
    const record: Record<string, unknown> = { ...(typeof given === 'object' ? given : undefined) };
    let some = given !== undefined;
    const add = (name: string, value: unknown) => {
      if (value === undefined) return;
      record[name] = value;
      some = true;
    };
    for (const { name, place, as } of attributes) add(name, convert(cells[place], as));
    // Names that only came up after the first rows of NDJSON; `columns` has grown by them.
    for (let place = known; place < cells.length; place++)
      add(columns[place] ?? '', convert(cells[place], 'as is'));
    return some ? record : undefined;
  };
}
