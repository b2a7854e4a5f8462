import { settlesWithin } from './wait.ts';

export interface Closer {
  readonly name: string;
  readonly limitMs: number;
  close(): Promise<unknown>;
  /** Stops it immediately, without a clean shutdown. */
  kill?(): unknown;
}

/** What must be closed at the end, in reverse order. */
export class Closers {
  readonly #open: Closer[] = [];

  add(closer: Closer): void {
    this.#open.push(closer);
  }

  /** Never throws: if one fails or hangs, the others are still closed. Returns the problems. */
  async closeAll(): Promise<string[]> {
    const problems: string[] = [];
    for (let closer = this.#open.at(-1); closer; closer = this.#open.at(-1)) {
      const { name, limitMs } = closer;
      const closed = closer.close().catch((error: unknown) => problems.push(`${name}: ${String(error)}`));
      if (!(await settlesWithin(closed, limitMs)))
        problems.push(`${name}: did not stop within ${limitMs / 1000} s`);
      // Removed only now, so that killAll can still reach it while it closes.
      this.#open.splice(this.#open.indexOf(closer), 1);
    }
    return problems;
  }

  /** Kills everything concurrently, without a clean shutdown. */
  async killAll(limitMs: number): Promise<void> {
    const killed = this.#open.map(async (closer) => closer.kill?.());
    await settlesWithin(Promise.allSettled(killed), limitMs);
  }
}
