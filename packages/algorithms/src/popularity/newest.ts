import type { Interactions } from '../data/interactions.ts';

/** The newest target events are held out: few enough that the remaining data is almost as recent. */
const heldOutShare = 0.1;
/** How many event times are sampled to find the cut; more would not move it. */
const sampled = 100_000;

/** The last minute before the held-out part; undefined if all target events are of the same minute. */
export function findCut({ time, type }: Interactions): number | undefined {
  if (!time) return undefined;
  const count = type.reduce((sum, one) => sum + (one === 0 ? 1 : 0), 0);
  const every = Math.max(1, Math.ceil(count / sampled));
  let seen = 0;
  const times = time.filter((_, event) => type[event] === 0 && seen++ % every === 0).sort();
  const newest = times.at(-1);
  const cut = times[Math.ceil(times.length * (1 - heldOutShare)) - 1];
  if (cut === undefined || cut !== newest) return cut;
  // More than the held-out share is of the newest minute, so exactly that minute is held out.
  return times.findLast((minute) => minute < cut);
}
