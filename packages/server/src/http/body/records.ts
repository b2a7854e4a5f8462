import { parseJson } from '../../kernel/lib/json.ts';

/** Placeholder for a record that would take too long to parse. Has at most the ID of the record's fields. */
export class RefusedRecord {
  readonly [idField: string]: unknown;
  readonly #reason: RefusalReason;

  constructor(reason: RefusalReason, id: Readonly<Record<string, unknown>>) {
    this.#reason = reason;
    Object.assign(this, id);
  }

  static reasonOf(record: RefusedRecord): RefusalReason {
    return record.#reason;
  }
}

export type RefusalReason = 'too large' | 'too deep' | 'too many names';

/**
 * Placeholder for a record of a large body whose text is valid JSON, perhaps of no object. Has at most the ID of the record's fields. The record
 * is parsed again when it is checked: keeping a batch of parsed records costs more garbage collection than parsing twice.
 */
export class UnparsedRecord {
  readonly [idField: string]: unknown;
  readonly #json: Buffer;

  constructor(json: Buffer, id: Readonly<Record<string, unknown>>) {
    this.#json = json;
    Object.assign(this, id);
  }

  static parse(record: UnparsedRecord): unknown {
    return parseJson(record.#json.toString());
  }

  static jsonOf(record: UnparsedRecord): Buffer {
    return record.#json;
  }
}

export type LargeBodyRecord = UnparsedRecord | RefusedRecord;

/** The records of a large body in a form that threads can exchange: their texts are in one buffer, which is moved. */
export interface PackedRecords {
  readonly records: readonly PackedRecord[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

type PackedRecord =
  | { readonly id: object; readonly start: number; readonly end: number }
  | { readonly id: object; readonly reason: RefusalReason };

/** All texts of the records must be in `bytes`. */
export function packRecords(
  records: readonly LargeBodyRecord[],
  bytes: Uint8Array<ArrayBuffer>,
): PackedRecords {
  const pack = (record: LargeBodyRecord): PackedRecord => {
    if (record instanceof RefusedRecord)
      return { id: Object.assign({}, record), reason: RefusedRecord.reasonOf(record) };
    const json = UnparsedRecord.jsonOf(record);
    const start = json.byteOffset - bytes.byteOffset;
    return { id: Object.assign({}, record), start, end: start + json.length };
  };
  return { records: records.map(pack), bytes };
}

export function unpackRecords({ records, bytes }: PackedRecords): LargeBodyRecord[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return records.map((record) => {
    const id = record.id as Readonly<Record<string, unknown>>;
    return 'reason' in record
      ? new RefusedRecord(record.reason, id)
      : new UnparsedRecord(text.subarray(record.start, record.end), id);
  });
}
