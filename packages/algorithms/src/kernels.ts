import { evaluation } from './g1/evaluate.ts';
import { regression } from './g1/fit.ts';
import { cooccurrence } from './g1/support.ts';
import { succession } from './g1/transitions.ts';
import type { Kernel } from './parallel.ts';

/** For a thread, which is told a kernel's name: functions do not cross between threads. */
export const kernels: readonly Kernel<never>[] = [cooccurrence, regression, succession, evaluation];
