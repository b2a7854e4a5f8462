import { limits } from '@tastegraph/contract';

export interface Lane<Row> {
  rows: Row[];
  bytes: number;
  /** The write in flight, or the last one. */
  writing: Promise<void>;
}

/** As in a call of the API: a batch of records of the largest size does not become a transaction of 256 MiB. */
const batchBytes = 4 * 1024 * 1024;

/**
 * Writes rows in batches, several at a time. All rows with the same ID go through the same lane, one batch after the other, so
 * the last row of the source wins. While a lane writes, it collects the next batch; then its source has to wait.
 */
export class WriteLanes<Row> {
  readonly #lanes: Lane<Row>[];
  readonly #write: (rows: readonly Row[]) => Promise<void>;
  #failure: { readonly cause: unknown } | undefined;

  constructor(count: number, write: (rows: readonly Row[]) => Promise<void>) {
    this.#lanes = Array.from({ length: count }, () => ({ rows: [], bytes: 0, writing: Promise.resolve() }));
    this.#write = write;
  }

  /** Resolves when there is room for the next row. Throws what a write threw. */
  async add(id: string, row: Row, bytes: number): Promise<void> {
    const lane = this.#lanes[hash(id) % this.#lanes.length] as Lane<Row>;
    lane.rows.push(row);
    lane.bytes += bytes;
    if (lane.rows.length >= limits.recordsPerCall || lane.bytes >= batchBytes) await this.#flush(lane);
  }

  /** Resolves when everything is written. */
  async end(): Promise<void> {
    await Promise.all(this.#lanes.map(async (lane) => this.#flush(lane)));
    await Promise.all(this.#lanes.map(async (lane) => lane.writing));
    this.#check();
  }

  /** Resolves when the write before has ended and this one is in flight. */
  async #flush(lane: Lane<Row>): Promise<void> {
    await lane.writing;
    this.#check();
    const { rows } = lane;
    if (rows.length === 0) return;
    lane.rows = [];
    lane.bytes = 0;
    lane.writing = this.#write(rows).catch((cause: unknown) => {
      this.#failure ??= { cause };
    });
  }

  #check(): void {
    if (this.#failure) throw this.#failure.cause;
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16_777_619);
  return value >>> 0;
}
