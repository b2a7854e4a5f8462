import { limits } from '@tastegraph/contract';
import { type AttributeSchema, checkAttributes } from './check-attributes.ts';
import { checkRecord, type RecordFailure, type RecordKind, recordKinds } from './check-record.ts';

export interface SoundRecord<R> {
  readonly index: number;
  readonly id: string;
  readonly record: R;
}

export interface FailedRecord extends RecordFailure {
  readonly index: number;
  /** Absent when the record has no id that is a string. */
  readonly id?: string;
}

/**
 * Parts a batch into what can be written and what cannot, in the order of the request. Of records with the same
 * id only the last counts, whether it is sound or not.
 */
export function sortOut<R>(
  kind: RecordKind,
  schema: AttributeSchema,
  records: readonly unknown[],
): { sound: SoundRecord<R>[]; failed: FailedRecord[] } {
  const { idField } = recordKinds[kind];
  const ids = records.map((record) => idOf(record, idField));
  const lastOf = new Map<string | undefined, number>();
  ids.forEach((id, index) => lastOf.set(id, index));
  const sound: SoundRecord<R>[] = [];
  const failed: FailedRecord[] = [];
  records.forEach((record, index) => {
    const id = ids[index];
    if (id === undefined) {
      failed.push({ index, code: 'ID_INVALID', message: `the record has no ${idField} that is a string` });
    } else if (lastOf.get(id) === index) {
      const failure = check(kind, schema, record);
      if (failure) failed.push({ index, id, ...failure });
      else sound.push({ index, id, record: record as R });
    }
  });
  return { sound, failed };
}

function idOf(record: unknown, idField: string): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const id: unknown = (record as Record<string, unknown>)[idField];
  return typeof id === 'string' ? id : undefined;
}

function check(kind: RecordKind, schema: AttributeSchema, record: unknown): RecordFailure | undefined {
  const failure = checkRecord(kind, record);
  if (failure) return failure;
  const { attributes } = record as { attributes?: Record<string, unknown> };
  // All fields but the attributes are bounded far below the limit.
  if (attributes === undefined) return undefined;
  if (jsonBytes(record) > limits.recordBytes) {
    return { code: 'RECORD_TOO_LARGE', message: `the record is over ${limits.recordBytes} bytes as JSON` };
  }
  return kind === 'event' ? undefined : checkAttributes(schema, attributes);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
