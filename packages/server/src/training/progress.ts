/** Reports the progress of reading about a hundred times. */
export class Progress {
  readonly #report: ((fraction: number) => void) | undefined;
  readonly #total: number;
  #done = 0;
  #next = 0;

  constructor(total: number, report: ((fraction: number) => void) | undefined) {
    this.#total = Math.max(1, total);
    this.#report = report;
  }

  step(rows = 1): void {
    this.#done += rows;
    if (this.#done < this.#next) return;
    this.#next = this.#done + this.#total / 100;
    this.#report?.(Math.min(1, this.#done / this.#total));
  }
}
