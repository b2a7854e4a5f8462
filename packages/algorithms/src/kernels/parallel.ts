/**
 * A kernel is prepared once per thread (its scratch memory), then run over blocks of a range. What it writes for one
 * element does not depend on other elements, so any number of threads and any blocks give the same bytes.
 */
export interface Kernel<Input> {
  readonly name: string;
  readonly prepare: (input: Input) => (from: number, to: number) => void;
}

/** Runs kernels on elements 0 to `count`, in this thread or in others, and resolves when all are done. `input` has numbers and arrays in shared memory. */
export interface Executor {
  run<Input extends object>(kernel: Kernel<Input>, input: Input, count: number): Promise<void>;
  /** Frees shared memory that nothing refers to any more. Without it, threads may keep it until they end. */
  release?(): Promise<void>;
}

/** Runs everything in this thread, one element after the other. */
export const sequential: Executor = {
  run: (kernel, input, count) => {
    kernel.prepare(input)(0, count);
    return Promise.resolve();
  },
};
