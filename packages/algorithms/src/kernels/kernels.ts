import { algorithms } from '../registry.ts';
import type { Kernel } from './parallel.ts';

/** For threads, which receive only a kernel's name: functions cannot be sent between threads. */
export const kernels: readonly Kernel<never>[] = algorithms.flatMap((algorithm) => algorithm.kernels);
