import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Gives calls priority on cores that they share with this thread. On Linux, priority is per thread, and inherited by threads
 * started from it; on other systems, it competes with calls as an equal. While all cores are busy, a thread with niceness 10
 * gets about a tenth of the time of one that answers calls, and one with niceness 5 a third.
 */
export function lowerPriority(niceness: number): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness);
  } catch {
    // No /proc: not Linux.
  }
}
