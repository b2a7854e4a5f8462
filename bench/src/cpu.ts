import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time in hundredths of a second, whatever the frequency of the kernel's timer. */
const ticksPerSecond = 100;

interface Stat {
  readonly parent: number;
  /** CPU time of the process and of its children that have exited. */
  readonly seconds: number;
  readonly ownSeconds: number;
}

/** CPU seconds that a process and its children have used so far. Undefined without /proc. */
export function cpuSeconds(pid: number): number | undefined {
  const own = readStat(pid);
  if (!own) return undefined;
  let seconds = own.seconds;
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : undefined;
    if (stat?.parent === pid) seconds += stat.seconds;
  }
  return seconds;
}

export function readStat(pid: number): Stat | undefined {
  try {
    // The name, in parentheses, may contain spaces, so parse what follows it.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0] = fields.slice(1);
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    const ownSeconds = (user + system) / ticksPerSecond;
    return { parent, ownSeconds, seconds: ownSeconds + (childUser + childSystem) / ticksPerSecond };
  } catch {
    return undefined;
  }
}
