import { settlesWithin } from './wait.ts';

export interface Closer {
  readonly name: string;
  readonly limitMs: number;
  close(): Promise<unknown>;
  /** The short way, for whoever does not want to wait. */
  kill?(): unknown;
}

/** What must be ended, in reverse of the order in which it was made. */
export class Closers {
  readonly #open: Closer[] = [];

  add(closer: Closer): void {
    this.#open.push(closer);
  }

  /** Never throws: one that fails or hangs does not keep the others open. Returns what went wrong. */
  async closeAll(): Promise<string[]> {
    const problems: string[] = [];
    for (let closer = this.#open.at(-1); closer; closer = this.#open.at(-1)) {
      const { name, limitMs } = closer;
      const closed = closer.close().catch((error: unknown) => problems.push(`${name}: ${String(error)}`));
      if (!(await settlesWithin(closed, limitMs)))
        problems.push(`${name}: not ended within ${limitMs / 1000} s`);
      // Only now: a kill that comes while it closes must still find it.
      this.#open.splice(this.#open.indexOf(closer), 1);
    }
    return problems;
  }

  /** All at once, without manners. */
  async killAll(limitMs: number): Promise<void> {
    const killed = this.#open.map(async (closer) => closer.kill?.());
    await settlesWithin(Promise.allSettled(killed), limitMs);
  }
}
