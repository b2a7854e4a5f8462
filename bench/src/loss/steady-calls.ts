import { setTimeout as sleep } from 'node:timers/promises';

interface Made {
  readonly startedAt: number;
  readonly endedAt: number;
  /** 0: the connection broke. */
  readonly status: number;
  readonly isDegraded: boolean;
}

/** What one kind of call got after the loss. */
export interface CallFigures {
  readonly answered: number;
  readonly failed: number;
  readonly degraded: number;
  /** From the loss until the last call that failed. 0 if none failed, however long calls took. */
  readonly unavailableSeconds: number;
  readonly slowestSeconds: number;
}

interface Answer {
  readonly status: number;
  readonly isDegraded?: boolean;
}

/** Repeats a call in several loops until stopped, whatever the answers. */
export class SteadyCalls {
  readonly #made: Made[] = [];
  readonly #stop = new AbortController();
  readonly #loops: readonly Promise<void>[];

  constructor(call: (n: number) => Promise<Answer>, { loops, pauseMs }: { loops: number; pauseMs: number }) {
    let n = 0;
    this.#loops = Array.from({ length: loops }, async () => {
      while (!this.#stop.signal.aborted) {
        const startedAt = performance.now();
        const { status, isDegraded = false } = await call(n++).catch((): Answer => ({ status: 0 }));
        this.#made.push({ startedAt, endedAt: performance.now(), status, isDegraded });
        await sleep(pauseMs);
      }
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
  }

  /** Waits until no call has failed for `quietMs`, and one has succeeded. */
  async settle(quietMs: number, limitMs: number): Promise<void> {
    for (const end = performance.now() + limitMs; performance.now() < end; ) {
      await sleep(100);
      const recent = this.#made.filter(({ endedAt }) => endedAt > performance.now() - quietMs);
      if (recent.length > 0 && recent.every(({ status }) => status === 200)) return;
    }
    throw new Error(`calls still fail after ${limitMs / 1000} s`);
  }

  /** Of the calls that ended after the loss. */
  figures(lostAt: number): CallFigures {
    const since = this.#made.filter(({ endedAt }) => endedAt > lostAt);
    const failed = since.filter(({ status }) => status !== 200);
    const lastFailedAt = Math.max(...failed.map(({ endedAt }) => endedAt), lostAt);
    return {
      answered: since.length - failed.length,
      failed: failed.length,
      degraded: since.filter(({ isDegraded }) => isDegraded).length,
      unavailableSeconds: (lastFailedAt - lostAt) / 1000,
      slowestSeconds: Math.max(...since.map(({ startedAt, endedAt }) => endedAt - startedAt), 0) / 1000,
    };
  }
}
