import { sharedU32 } from './arrays.ts';
import { filterEvents, type Interactions } from './interactions.ts';
import { draw, seededRandom } from './random.ts';

/** Some events put aside, to be predicted from the rest. */
export interface Split {
  readonly train: Interactions;
  /** Users all of whose events were put aside: they show how users nobody knows yet are served. Ascending. */
  readonly coldUsers: Uint32Array;
  /** For each user the items to be predicted, none of which the target event happened to in `train`. */
  readonly wantedOffsets: Uint32Array;
  readonly wanted: Uint32Array;
}

/**
 * - `tail`: the last fifth of each user's target events, and whatever came after the first of them. What recommendations
 *   are for is the future, and settings picked on a random part are worse there (gowalla: .1848 against .1924).
 * - `last`: the last target event only, for the protocol of that name.
 * - `random`: a fifth of each user's items, drawn by the seed: where no order is known.
 */
export type HoldOut = 'tail' | 'last' | 'random';

const heldOutShare = 0.2;
/** Few enough that the rest is as good as whole; and a thousand users tell as much as a million. */
const coldShare = 0.02;
const mostColdUsers = 1000;

export function holdOut(events: Interactions, how: HoldOut, seed = 1): Split {
  const { offsets, item, type } = events;
  const random = seededRandom(seed);
  const out = new Uint8Array(item.length);
  const coldUsers: number[] = [];
  const cold = Math.min(coldShare, mostColdUsers / events.users);
  for (let user = 0; user < events.users; user++) {
    const begin = offsets[user]!;
    const end = offsets[user + 1]!;
    if (random() < cold) {
      out.fill(1, begin, end);
      coldUsers.push(user);
    } else if (how === 'random') markRandom(events, begin, end, random, out);
    else markTail(events, begin, end, how === 'last' ? 0 : heldOutShare, out);
  }
  const train = filterEvents(events, (event) => out[event] === 0);
  const wantedOffsets = sharedU32(events.users + 1);
  const wanted: number[] = [];
  for (let user = 0; user < events.users; user++) {
    const known = new Set<number>();
    for (let event = offsets[user]!; event < offsets[user + 1]!; event++)
      if (out[event] === 0 && type[event] === 0) known.add(item[event]!);
    for (let event = offsets[user]!; event < offsets[user + 1]!; event++)
      if (out[event] === 1 && type[event] === 0 && !known.has(item[event]!)) {
        known.add(item[event]!);
        wanted.push(item[event]!);
      }
    wantedOffsets[user + 1] = wanted.length;
  }
  const shared = sharedU32(wanted.length);
  shared.set(wanted);
  return { train, coldUsers: Uint32Array.from(coldUsers), wantedOffsets, wanted: shared };
}

/** At least one event, but never all of a user's target events. */
const heldOut = (count: number, share: number) => (count < 2 ? 0 : Math.max(1, Math.round(count * share)));

function markTail({ type }: Interactions, begin: number, end: number, share: number, out: Uint8Array): void {
  let count = 0;
  for (let event = begin; event < end; event++) if (type[event] === 0) count++;
  let left = heldOut(count, share);
  for (let event = end - 1; event >= begin && left > 0; event--) {
    out[event] = 1;
    if (type[event] === 0) left--;
  }
}

/** By item, not by event: an item of which another event stays would be masked, and could not be predicted. */
function markRandom(
  { item, type }: Interactions,
  begin: number,
  end: number,
  random: () => number,
  out: Uint8Array,
): void {
  const items = new Set<number>();
  for (let event = begin; event < end; event++) if (type[event] === 0) items.add(item[event]!);
  const held = new Set(draw(items, heldOut(items.size, heldOutShare), random));
  for (let event = begin; event < end; event++)
    if (type[event] === 0 && held.has(item[event]!)) out[event] = 1;
}
