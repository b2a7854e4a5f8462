/**
 * A kernel is prepared once a thread (its scratch memory), then run over blocks of a range. What it writes for one
 * element depends on nothing that another element writes: any number of threads, any blocks, the same bytes.
 */
export interface Kernel<Input> {
  readonly name: string;
  readonly prepare: (input: Input) => (from: number, to: number) => void;
}

/**
 * Who runs kernels: here, or on threads. `input` is numbers and arrays over shared memory. Resolves when every element
 * from 0 to `count` is done.
 */
export interface Executor {
  run<Input extends object>(kernel: Kernel<Input>, input: Input, count: number): Promise<void>;
}

/** In this thread, one after the other. */
export const sequential: Executor = {
  run: (kernel, input, count) => {
    kernel.prepare(input)(0, count);
    return Promise.resolve();
  },
};
