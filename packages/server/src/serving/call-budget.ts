import { slices } from '../kernel/lib/slices.ts';

/** What one call may spend on its search for items. */
export const callBounds = {
  /** Filter steps: 0.4 s of a core at 8 ns each. Enough for 250 per item of 200,000; a usual filter takes ten. */
  steps: 50_000_000,
  /** Bytes of item records read: a few pages of the largest records, or a whole catalogue of usual ones. */
  readBytes: 32 * 1024 * 1024,
  /** Bytes of records in one response: writing them as JSON takes about 10 ms. */
  answerBytes: 4 * 1024 * 1024,
} as const;

/** Steps between checks of the clock: at most 0.1 ms. */
const stepsPerClockCheck = 2000;
/** Characters of JSON parsed in the time of one step. */
const parsedCharactersPerStep = 4;

/** Why a call stopped its search before it found enough items. */
export type ExhaustedResource = 'time' | 'steps' | 'bytes';

/** The remaining budget of one call. */
export class CallBudget {
  readonly tenant: string;
  readonly leftMs: () => number;
  readonly #parent: CallBudget | undefined;
  #steps: number;
  #hasSpent = false;
  #bytes: number = callBounds.readBytes;

  constructor(
    tenant: string,
    leftMs: () => number,
    { steps = callBounds.steps, parent }: { steps?: number; parent?: CallBudget } = {},
  ) {
    this.tenant = tenant;
    this.leftMs = leftMs;
    this.#steps = steps;
    this.#parent = parent;
  }

  /** A sub-budget with a share of the steps and time, for optional work. What it spends is also spent here. */
  share(fraction: number): CallBudget {
    const reservedMs = this.leftMs() * (1 - fraction);
    return new CallBudget(this.tenant, () => this.leftMs() - reservedMs, {
      steps: this.#steps * fraction,
      parent: this,
    });
  }

  spend(steps: number): void {
    this.#steps -= steps;
    this.#hasSpent = true;
    this.#parent?.spend(steps);
  }

  spendRead(bytes: number): void {
    this.#bytes -= bytes;
  }

  spendParse(characters: number): void {
    this.spend(characters / parsedCharactersPerStep);
  }

  /** Cheaper than `exhausted`, for work that cannot wait. */
  get hasSteps(): boolean {
    return this.#steps > 0;
  }

  /** Whether any item was examined. */
  get hasSpent(): boolean {
    return this.#hasSpent;
  }

  get exhausted(): ExhaustedResource | undefined {
    if (this.#steps <= 0) return 'steps';
    if (this.#bytes <= 0) return 'bytes';
    return this.leftMs() <= 0 ? 'time' : undefined;
  }

  /** Calls `next` until it returns false, in time slices. Returns true then, or false if the budget ran out first. */
  async forEach(next: () => boolean): Promise<boolean> {
    let isDone = false;
    await slices.run(this.tenant, (endMs) => {
      for (let checkAt = this.#steps - stepsPerClockCheck; ; ) {
        if (!next()) {
          isDone = true;
          return true;
        }
        if (this.#steps > checkAt && this.#steps > 0) continue;
        if (this.exhausted) return true;
        if (performance.now() >= endMs) return false;
        checkAt = this.#steps - stepsPerClockCheck;
      }
    });
    return isDone;
  }
}
