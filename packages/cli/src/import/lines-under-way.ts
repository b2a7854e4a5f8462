/** As many as a call has: blocks are let go about as fast as they come. */
const blockRows = 1000;

/** Where the rows that are not answered for yet stand in the source, however far behind one of them is. */
export class LinesUnderWay {
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

  /** The rows before `index` are answered for. */
  forgetBefore(index: number): void {
    for (const key of this.#blocks.keys()) {
      if ((key + 1) * blockRows > index) return;
      this.#blocks.delete(key);
    }
  }
}
