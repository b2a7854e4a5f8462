/** The size of a batch, so that blocks are freed about as fast as they are added. */
const blockRows = 1000;

/** The source lines of all rows that are not acknowledged yet. */
export class PendingLines {
  readonly #blocks = new Map<number, Float64Array>();

  set(index: number, line: number): void {
    const key = Math.floor(index / blockRows);
    let block = this.#blocks.get(key);
    if (!block) this.#blocks.set(key, (block = new Float64Array(blockRows)));
    block[index % blockRows] = line;
  }

  get(index: number): number {
    return this.#blocks.get(Math.floor(index / blockRows))?.[index % blockRows] ?? 0;
  }

  /** The rows before `index` are acknowledged. */
  dropBefore(index: number): void {
    for (const key of this.#blocks.keys()) {
      if ((key + 1) * blockRows > index) return;
      this.#blocks.delete(key);
    }
  }
}
