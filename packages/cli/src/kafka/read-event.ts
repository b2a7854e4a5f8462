import { convert, isNumber, parseJson, toId, type ValueKind } from '@tastegraph/files';
import type { EventRecord } from '@tastegraph/sdk';

/** A record of a topic. */
export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  /** When it was produced, in milliseconds. */
  readonly timestamp: bigint;
  readonly key?: Buffer | undefined;
  /** Undefined for a tombstone. */
  readonly value?: Buffer | undefined;
}

/** Where the fields of an event are in a record. */
export interface EventPaths {
  /** Field to path, for example `user_id` to `customer.id`. Other fields are read under their own name. */
  readonly map: ReadonlyMap<string, string>;
  /** The unit of times that are numbers. */
  readonly tsUnit: ValueKind;
  /** The type of events that have none. */
  readonly eventType: string | undefined;
}

export const eventFields = [
  'event_id',
  'user_id',
  'item_id',
  'ts',
  'event_type',
  'event_value',
  'recommendation_id',
  'attributes',
] as const;
type EventField = (typeof eventFields)[number];

/** Why a record is not an event. */
export class UnreadableRecord {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The event in a record; undefined for a tombstone. Invalid values are kept: only the service validates events. */
export function createEventReader(
  paths: EventPaths,
): (record: KafkaRecord) => EventRecord | UnreadableRecord | undefined {
  const steps = new Map(eventFields.map((field) => [field, (paths.map.get(field) ?? field).split('.')]));
  return (record) => {
    if (!record.value || record.value.length === 0) return undefined;
    let value: unknown;
    try {
      value = parseJson(record.value.toString());
    } catch {
      // Without the parser's message, which quotes the record.
      return new UnreadableRecord('is not valid JSON');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return new UnreadableRecord('is not a JSON object');
    const read = (field: EventField) => follow(value, steps.get(field) ?? []);
    const fields = {
      // The same record always gives the same event: one that is read twice is written once.
      event_id: toId(read('event_id')) ?? `${record.topic}/${record.partition}/${record.offset}`,
      user_id: toId(read('user_id')),
      item_id: toId(read('item_id')),
      ts: toTime(read('ts'), paths.tsUnit) ?? Number(record.timestamp),
      event_type: toId(read('event_type')) ?? paths.eventType,
      event_value: convert(read('event_value'), 'number'),
      recommendation_id: toId(read('recommendation_id')),
      attributes: convert(read('attributes'), 'as is'),
    };
    return Object.fromEntries(
      Object.entries(fields).filter(([, field]) => field !== undefined),
    ) as unknown as EventRecord;
  };
}

function follow(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** A text is a date, unless it is a number. */
function toTime(value: unknown, unit: ValueKind): unknown {
  return convert(value, typeof value === 'string' && !isNumber(value) ? 'iso' : unit);
}
