import { totalmem } from 'node:os';

/** The container's limit or the machine's memory, in bytes. Without a limit, Node reports 0 or more than the machine has. */
export function memoryLimit(constrained = process.constrainedMemory(), total = totalmem()): number {
  return constrained > 0 ? Math.min(constrained, total) : total;
}
