import { totalmem } from 'node:os';

/**
 * The memory that this process can use, in bytes: the container's limit, or the machine's memory if that is less. Without a
 * limit, Node reports 0 or more than the machine has.
 */
export function memoryLimit(constrained = process.constrainedMemory(), total = totalmem()): number {
  return constrained > 0 ? Math.min(constrained, total) : total;
}
