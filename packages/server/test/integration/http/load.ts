import type { Answer } from '../stack/caller.ts';

/** The responses and latencies of many concurrent calls. */
export class Load {
  readonly latenciesMs: number[] = [];
  readonly calls: Record<string, number> = {};
  /** Every response other than 200, and every broken call. */
  readonly errors: string[] = [];

  async time(name: string, call: () => Promise<Answer<unknown>>): Promise<void> {
    const start = performance.now();
    this.calls[name] = (this.calls[name] ?? 0) + 1;
    try {
      const { status, body } = await call();
      if (status !== 200)
        this.errors.push(`${name} answered ${status}: ${JSON.stringify(body).slice(0, 500)}`);
    } catch (error) {
      this.errors.push(`${name} broke: ${String((error as Error).cause ?? error)}`);
    }
    this.latenciesMs.push(performance.now() - start);
  }

  /** The latency that this share of the calls stayed below. */
  quantileMs(share: number): number {
    const sorted = this.latenciesMs.toSorted((a, b) => a - b);
    return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  }

  get maxMs(): number {
    return this.quantileMs(1);
  }

  summary(): object {
    const [p50ms, p99ms] = [this.quantileMs(0.5), this.quantileMs(0.99)];
    return { ...this.calls, p50ms, p99ms, maxMs: this.maxMs };
  }
}

/** Runs `act` repeatedly in each writer, until the time is over or the work is done. */
export async function inParallel(
  writers: number,
  goesOn: () => boolean,
  act: (writer: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      while (goesOn()) await act(writer);
    }),
  );
}

export function forMs(ms: number): () => boolean {
  const end = performance.now() + ms;
  return () => performance.now() < end;
}

export function pickInt(below: number): number {
  return Math.floor(Math.random() * below);
}

export function pickSome<T>(from: readonly T[], count: number): T[] {
  return Array.from({ length: count }, () => from[pickInt(from.length)] as T);
}
