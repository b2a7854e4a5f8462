import type { Interactions } from '../data/interactions.ts';
import { holdOut, layOut, type Split } from '../data/split.ts';
import { findCut } from './newest.ts';

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
