import type { EventChange, EventRecord } from '@tastegraph/contract';
import type { UpsertMode } from '../../http/write-scope.ts';
import { entityRow } from '../rows/entities.ts';
import { eventRow } from '../rows/events.ts';
import { entityChangeRow } from '../rows/merge-entities.ts';
import { eventChangeRow } from '../rows/merge-events.ts';
import type { RecordRow } from '../rows/write-slices.ts';
import type { RecordKind } from './check-record.ts';

type Fields = Record<string, unknown>;

/** Merges several changes of one record: the last value of each field and attribute wins, including null. */
export class MergedRecord {
  readonly #fields: Fields = {};
  // No prototype, so that `__proto__` is an ordinary name.
  readonly #attributes = Object.create(null) as Fields;
  readonly #attributeBytes = new Map<string, number>();
  #bytes = 0;

  add(record: Readonly<Fields>): void {
    Object.assign(this.#fields, record);
    const attributes = (record['attributes'] ?? {}) as Fields;
    Object.assign(this.#attributes, attributes);
    for (const name in attributes) {
      const bytes = name.length + Buffer.byteLength(JSON.stringify(attributes[name]));
      this.#bytes += bytes - (this.#attributeBytes.get(name) ?? 0);
      this.#attributeBytes.set(name, bytes);
    }
  }

  /** A lower bound of the attributes as JSON. Counted per change: to serialize a thousand (up to 32 MiB) takes 100 ms. */
  get bytes(): number {
    return this.#bytes;
  }

  get fields(): Fields {
    return { ...this.#fields, attributes: this.#attributes };
  }
}

/** The row as text, so that the parsed record need not stay in memory. */
export function rowOf(kind: RecordKind, mode: UpsertMode, id: string, record: Readonly<Fields>): RecordRow {
  if (kind === 'event')
    return mode === 'MERGE'
      ? eventChangeRow(record as unknown as EventChange)
      : eventRow(record as unknown as EventRecord);
  const entity = { id, attributes: (record['attributes'] ?? {}) as Readonly<Fields> };
  return mode === 'MERGE' ? entityChangeRow(entity) : entityRow(entity);
}

const neededFields = ['user_id', 'item_id', 'ts', 'event_type'] as const;

/** Fields that a new event requires and this one lacks. */
export function missingFields(kind: RecordKind, record: Readonly<Fields>): readonly string[] {
  if (kind !== 'event') return [];
  return neededFields.filter((field) => record[field] === undefined);
}
