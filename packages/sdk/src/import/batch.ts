import type { ImportFailure } from './report.ts';

/** The limit of the API per call. */
const recordsPerBatch = 1000;
/** The service accepts 32 MiB. This keeps an import within tens of megabytes, and allows batches of 1000 records of up to 4 kB. */
const bytesPerBatch = 4 * 1024 * 1024;

/** Consecutive records of the source, beginning at `start`. */
export class Batch<R> {
  /** The records to send. */
  readonly records: R[] = [];
  /** The same records as JSON. */
  readonly texts: string[] = [];
  /** The index of each record in the source. */
  readonly indexes: number[] = [];
  /** Records that cannot be sent. */
  readonly unsendable: ImportFailure<R>[] = [];
  readonly ids: string[] = [];
  end: number;
  bytes = 0;
  readonly #start: number;
  readonly #idField: keyof R;

  constructor(start: number, idField: keyof R) {
    this.#start = start;
    this.end = start;
    this.#idField = idField;
  }

  get isEmpty(): boolean {
    return this.end === this.#start;
  }

  get isFull(): boolean {
    // A record that is too large takes as much memory as a batch, so it is released before the next one is read.
    const hasTooLarge = this.unsendable.at(-1)?.code === 'RECORD_TOO_LARGE';
    return hasTooLarge || this.end - this.#start >= recordsPerBatch;
  }

  /** Returns false if the batch has no room for the record, which then belongs to the next batch. */
  add(record: R): boolean {
    const index = this.end;
    const id = this.idOf(record);
    const serialized = serialize(record);
    if ('code' in serialized) {
      this.unsendable.push({ record, index, id, ...serialized });
    } else {
      if (this.records.length > 0 && this.bytes + serialized.bytes > bytesPerBatch) return false;
      this.records.push(record);
      this.texts.push(serialized.json);
      this.indexes.push(index);
      this.bytes += serialized.bytes;
      if (id !== undefined) this.ids.push(id);
    }
    this.end += 1;
    return true;
  }

  /** A source may yield any value: only the service validates records. */
  idOf(record: R | null | undefined): string | undefined {
    const id = record?.[this.#idField];
    return typeof id === 'string' ? id : undefined;
  }
}

const encoder = new TextEncoder();
/** Most records fit, so that measuring them allocates no array. */
const scratch = new Uint8Array(16 * 1024);

function byteLength(text: string): number {
  // A UTF-16 unit is at most three bytes in UTF-8.
  const fits = text.length * 3 <= scratch.length;
  return fits ? encoder.encodeInto(text, scratch).written : encoder.encode(text).byteLength;
}

type Serialized = { json: string; bytes: number } | Pick<ImportFailure<unknown>, 'code' | 'message'>;

/** The record as JSON, or why it cannot be sent. It must not make the call with the other records fail. */
function serialize(record: unknown): Serialized {
  let json: unknown;
  try {
    json = JSON.stringify(record);
  } catch (error) {
    return { code: 'FIELD_INVALID', message: `cannot be serialized as JSON: ${(error as Error).message}` };
  }
  if (typeof json !== 'string') return { code: 'ID_INVALID', message: 'is not an object' };
  const bytes = byteLength(json);
  if (bytes <= bytesPerBatch) return { json, bytes };
  return { code: 'RECORD_TOO_LARGE', message: `the record is larger than ${bytesPerBatch} bytes as JSON` };
}
