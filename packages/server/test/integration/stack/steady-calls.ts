import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './caller.ts';

interface Made {
  readonly at: number;
  readonly endedAt: number;
  /** 0: the connection broke. */
  readonly status: number;
}

/** The same call every few milliseconds, ignoring errors, and the result of each. */
export class SteadyCalls {
  readonly #made: Made[] = [];
  readonly #call: () => Promise<Answer<unknown>>;
  /** Resolves when the last call has been answered, after `stopping`. */
  readonly ended: Promise<void>;

  constructor(call: () => Promise<Answer<unknown>>, stopping: AbortSignal, everyMs = 50) {
    this.#call = call;
    this.ended = this.#run(stopping, everyMs);
  }

  async #run(stopping: AbortSignal, everyMs: number): Promise<void> {
    while (!stopping.aborted) {
      const at = performance.now();
      const answer = await this.#call().catch(() => undefined);
      this.#made.push({ at, endedAt: performance.now(), status: answer?.status ?? 0 });
      await sleep(everyMs);
    }
  }

  /** When the first call made after `since` that succeeded was answered. */
  async nextSuccess(since: number, limitMs: number): Promise<number> {
    for (;;) {
      const made = this.#made.find(({ at, status }) => at >= since && status === 200);
      if (made && made.endedAt - since <= limitMs) return made.endedAt;
      if (performance.now() - since > limitMs)
        throw new Error(`not served within ${limitMs} ms: ${JSON.stringify(this.#made.slice(-10))}`);
      await sleep(20);
    }
  }

  /** Calls made and answered with 200 within the time. */
  successes(from: number, to: number): number {
    return this.#made.filter(({ at, endedAt, status }) => at >= from && endedAt <= to && status === 200)
      .length;
  }

  /** Of the calls made in this time: how many succeeded and failed, the last failure's end, and the slowest. */
  figures(since: number, until = Number.POSITIVE_INFINITY) {
    const made = this.#made.filter(({ at }) => at >= since && at < until);
    const failed = made.filter(({ status }) => status !== 200);
    return {
      answered: made.length - failed.length,
      failed: failed.length,
      unavailableMs: Math.round(Math.max(since, ...failed.map(({ endedAt }) => endedAt)) - since),
      slowestMs: Math.round(Math.max(0, ...made.map(({ at, endedAt }) => endedAt - at))),
    };
  }

  /** Every other status, of the calls made since then. */
  statuses(allowed: ReadonlySet<number>, since = 0): number[] {
    const made = this.#made.filter(({ at }) => at >= since);
    return made.map(({ status }) => status).filter((status) => !allowed.has(status));
  }
}
