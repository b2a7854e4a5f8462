import type { ImportFailure } from './report.ts';

/** What the service takes in one call. */
const recordsPerBatch = 1000;
/**
 * The service takes 32 MiB. This keeps well below that, and the memory of an import within a few tens of megabytes, while
 * records of up to 4 kB still go a thousand at a time.
 */
const bytesPerBatch = 4 * 1024 * 1024;

/** A stretch of the source: from `start`, as many as were added. */
export class Batch<R> {
  /** What is to be sent, and where in the source each was. */
  readonly records: R[] = [];
  /** The same as JSON. */
  readonly texts: string[] = [];
  readonly indexes: number[] = [];
  /** Records that cannot be sent at all. */
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
    // One that is too large is as large as a whole batch: it is let go before the next comes.
    const holdsTooLarge = this.unsendable.at(-1)?.code === 'RECORD_TOO_LARGE';
    return holdsTooLarge || this.end - this.#start >= recordsPerBatch;
  }

  /** False when the record does not fit beside the others any more: it belongs to the next batch. */
  add(record: R): boolean {
    const index = this.end;
    const id = this.idOf(record);
    const written = write(record);
    if ('code' in written) {
      this.unsendable.push({ record, index, id, ...written });
    } else {
      if (this.records.length > 0 && this.bytes + written.bytes > bytesPerBatch) return false;
      this.records.push(record);
      this.texts.push(written.json);
      this.indexes.push(index);
      this.bytes += written.bytes;
      if (id !== undefined) this.ids.push(id);
    }
    this.end += 1;
    return true;
  }

  /** A source may hold anything: it is the service that says what is a record. */
  idOf(record: R | null | undefined): string | undefined {
    const id = record?.[this.#idField];
    return typeof id === 'string' ? id : undefined;
  }
}

const encoder = new TextEncoder();
/** Most records fit, and are measured without an array of their own. */
const scratch = new Uint8Array(16 * 1024);

function byteLength(text: string): number {
  // A character is at most three bytes for each of its UTF-16 units.
  const fits = text.length * 3 <= scratch.length;
  return fits ? encoder.encodeInto(text, scratch).written : encoder.encode(text).byteLength;
}

type Written = { json: string; bytes: number } | Pick<ImportFailure<unknown>, 'code' | 'message'>;

/** The record as JSON, or why it cannot be sent: alone, it would make the call of all the others fail. */
function write(record: unknown): Written {
  let json: unknown;
  try {
    json = JSON.stringify(record);
  } catch (error) {
    return { code: 'FIELD_INVALID', message: `cannot be written as JSON: ${(error as Error).message}` };
  }
  if (typeof json !== 'string') return { code: 'ID_INVALID', message: 'is not an object' };
  const bytes = byteLength(json);
  if (bytes <= bytesPerBatch) return { json, bytes };
  return { code: 'RECORD_TOO_LARGE', message: `the record is over ${bytesPerBatch} bytes as JSON` };
}
