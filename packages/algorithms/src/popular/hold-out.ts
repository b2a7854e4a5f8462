import type { Interactions } from '../interactions.ts';
import { holdOut, layOut, type Split } from '../split.ts';

/** The newest target events are held out: few enough that the remaining data is almost as recent. */
const heldOutShare = 0.1;
/** How many event times are sampled to find the cut; more would not move it. */
const sampled = 100_000;

/**
 * Predicts everything after one moment from everything before it, as in production. Holding out each user's last events
 * would predict them from what others did later. If times cannot be used, a random part is held out.
 */
export function holdOutNewest(
  events: Interactions,
  seed: number,
): { readonly split: Split; readonly heldOut: 'latest' | 'random' } {
  const cut = findCut(events);
  if (cut === undefined) return { split: holdOut(events, 'random', seed), heldOut: 'random' };
  const out = Uint8Array.from(events.time ?? [], (minute) => (minute > cut ? 1 : 0));
  const coldUsers: number[] = [];
  for (let user = 0; user < events.users; user++) {
    const [from, to] = [events.offsets[user]!, events.offsets[user + 1]!];
    if (to > from && out.subarray(from, to).every((isOut) => isOut === 1)) coldUsers.push(user);
  }
  return { split: layOut(events, out, coldUsers), heldOut: 'latest' };
}

/** The last minute before the held-out part; undefined if all target events are of the same minute. */
function findCut({ time, type }: Interactions): number | undefined {
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
