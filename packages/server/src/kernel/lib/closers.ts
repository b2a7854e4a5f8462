import { within } from './within.ts';

/** Closes resources in reverse order of their creation, each within its time limit. */
export class Closers {
  readonly #closers: { name: string; close: () => Promise<unknown>; limitMs: number }[] = [];
  readonly #onError: (name: string, error: unknown) => void;

  constructor(onError: (name: string, error: unknown) => void) {
    this.#onError = onError;
  }

  add(name: string, limitMs: number, close: () => Promise<unknown>): void {
    this.#closers.push({ name, close, limitMs });
  }

  /** Never throws: a closer that fails or hangs does not keep the others from running. */
  async closeAll(): Promise<void> {
    for (let closer = this.#closers.pop(); closer; closer = this.#closers.pop()) {
      const { name, close, limitMs } = closer;
      try {
        await within(limitMs, close());
      } catch (error) {
        this.#onError(name, error);
      }
    }
  }
}
