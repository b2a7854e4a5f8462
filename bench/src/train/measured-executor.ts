import type { Executor, Interactions } from '@tastegraph/algorithms';

/** The work of one kind of kernel: `steps` are reads or writes of a sum or a residual. */
export interface KernelWork {
  steps: number;
  cpuSeconds: number;
}

export interface MeasuredExecutor {
  readonly executor: Executor;
  readonly cooccurrence: KernelWork;
  readonly regression: KernelWork;
  /** What counting steps took, which is no part of a training. */
  readonly counting: { seconds: number; cpuSeconds: number };
}

export function cpuSecondsSince(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}

/** CPU time of all threads in the two kernels that a fit spends its time in. `events`: of one type, what a single fit learns from. */
export function measureKernels(inner: Executor, events: Interactions): MeasuredExecutor {
  const measured: MeasuredExecutor = {
    cooccurrence: { steps: 0, cpuSeconds: 0 },
    regression: { steps: 0, cpuSeconds: 0 },
    counting: { seconds: 0, cpuSeconds: 0 },
    executor: {
      release: () => inner.release?.() ?? Promise.resolve(),
      run: async (kernel, input, count) => {
        const work =
          kernel.name === 'cooccurrence' || kernel.name === 'regression' ? measured[kernel.name] : undefined;
        const before = process.cpuUsage();
        await inner.run(kernel, input, count);
        if (!work) return;
        work.cpuSeconds += cpuSecondsSince(before);
        const [started, counting] = [performance.now(), process.cpuUsage()];
        // The co-occurrence may take several runs; all of its steps are counted after the first.
        if (kernel.name === 'cooccurrence') work.steps ||= stepsOfSupport(events);
        else work.steps += stepsOfFit(input as unknown as FitInput, count);
        measured.counting.seconds += (performance.now() - started) / 1000;
        measured.counting.cpuSeconds += cpuSecondsSince(counting);
      },
    },
  };
  return measured;
}

/** For each item of a user, and for the token that every user has, one for each of the user's items. */
function stepsOfSupport({ users, items, offsets, item }: Interactions): number {
  const lastUser = new Uint32Array(items);
  let steps = 0;
  for (let user = 0; user < users; user++) {
    let distinct = 0;
    for (let event = offsets[user]!; event < offsets[user + 1]!; event++) {
      if (lastUser[item[event]!] === user + 1) continue;
      lastUser[item[event]!] = user + 1;
      distinct++;
    }
    steps += distinct * (distinct + 1);
  }
  return steps;
}

/** The part of the kernel's input that says how much work there is; arrays are addresses in `memory`. */
interface FitInput {
  readonly memory: { readonly buffer: SharedArrayBuffer };
  readonly sweeps: number;
  readonly columnOffsets: number;
  readonly sourceOffsets: number;
  readonly source: number;
}

/** For each sweep and each source of a target, one read and one write for each user of the source. */
function stepsOfFit(input: FitInput, targets: number): number {
  const at = (address: number) => new Uint32Array(input.memory.buffer, address);
  const columnOffsets = at(input.columnOffsets);
  const [sourceOffsets, source] = [at(input.sourceOffsets), at(input.source)];
  let cells = 0;
  for (let turn = 0; turn < targets; turn++) {
    for (let place = sourceOffsets[turn]!; place < sourceOffsets[turn + 1]!; place++) {
      const token = source[place]!;
      cells += columnOffsets[token + 1]! - columnOffsets[token]!;
    }
  }
  return 2 * input.sweeps * cells;
}
