import { readdirSync } from 'node:fs';
import { readStat } from '../cpu.ts';
import { residentBytes } from '../process-memory.ts';

export interface TreeCost {
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

const everyMs = 250;

/** Samples processes and all descendants. One that lives for less than a sample counts only if its parent waits for it. */
export function watchTrees(pids: readonly number[]): { stop(): TreeCost } {
  const seconds = new Map<number, number>();
  let peakBytes = 0;
  const sample = () => {
    const found = descendants(pids);
    for (const pid of found) seconds.set(pid, readStat(pid)?.ownSeconds ?? seconds.get(pid) ?? 0);
    void Promise.all(found.map((pid) => residentBytes(pid).catch(() => 0))).then((bytes) => {
      peakBytes = Math.max(
        peakBytes,
        bytes.reduce((sum, one) => sum + one, 0),
      );
    });
  };
  sample();
  // A failed run may never stop it.
  const timer = setInterval(sample, everyMs).unref();
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      return { cpuSeconds: [...seconds.values()].reduce((sum, one) => sum + one, 0), peakBytes };
    },
  };
}

function descendants(roots: readonly number[]): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined;
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), pid]);
  }
  const found = [...roots];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}
