import { sharedU32 } from '../lib/arrays.ts';
import { draw, seededRandom } from '../lib/random.ts';
import { filterEvents, type Interactions } from './interactions.ts';

/** Some events are held out, to be predicted from the rest. */
export interface Split {
  readonly train: Interactions;
  /** By event: 1 if it is held out. */
  readonly heldOut: Uint8Array;
  /** Users all of whose events are held out: they show how well unknown users are served. Ascending. */
  readonly coldUsers: Uint32Array;
  /** For each user the items to predict. None of them has a target event of that user in `train`. */
  readonly relevantOffsets: Uint32Array;
  readonly relevant: Uint32Array;
}

/**
 * - `tail`: the last fifth of each user's target events, and everything after the first of them. Recommendations are
 *   for the future, and settings chosen on a random part are worse there (gowalla: .1848 instead of .1924).
 * - `last`: only the last target event, for the protocol of that name.
 * - `random`: a seeded sample of a fifth of each user's items, for data without an order.
 */
export type HoldOut = 'tail' | 'last' | 'random';

const heldOutShare = 0.2;
/** Few enough that the remaining data is nearly complete. A thousand users tell as much as a million. */
const coldShare = 0.02;
const maxColdUsers = 1000;
/** With fewer users who came last, users are held out whenever they came. */
const fewestNewUsers = 20;

export function holdOut(events: Interactions, how: HoldOut, seed = 1): Split {
  const { offsets, item } = events;
  const random = seededRandom(seed);
  const out = new Uint8Array(item.length);
  const coldUsers: number[] = [];
  const isNew = newUsers(events);
  const candidates = isNew ? isNew.reduce((sum, one) => sum + one, 0) : events.users;
  const cold = Math.min(coldShare * events.users, maxColdUsers) / candidates;
  for (let user = 0; user < events.users; user++) {
    const begin = offsets[user]!;
    const end = offsets[user + 1]!;
    if (random() < cold && isNew?.[user] !== 0) {
      out.fill(1, begin, end);
      coldUsers.push(user);
    } else if (how === 'random') markRandom(events, begin, end, random, out);
    else markTail(events, begin, end, how === 'last' ? 0 : heldOutShare, out);
  }
  return layOut(events, out, coldUsers);
}

/**
 * By user: 1 for those whose first event is among the newest. What new users choose depends on when they came, so cold
 * users are drawn from these; undefined if times do not tell, or too few users are new.
 */
function newUsers(events: Interactions): Uint8Array | undefined {
  const { time, offsets, users } = events;
  const cut = findCut(events);
  if (!time || cut === undefined) return undefined;
  const isNew = Uint8Array.from({ length: users }, (_, user) =>
    offsets[user + 1]! > offsets[user]! && time[offsets[user]!]! > cut ? 1 : 0,
  );
  return isNew.reduce((sum, one) => sum + one, 0) < fewestNewUsers ? undefined : isNew;
}

/** The split that holds out the events that are 1 in `out`. */
function layOut(events: Interactions, out: Uint8Array, coldUsers: readonly number[]): Split {
  const { offsets, item, type } = events;
  const train = filterEvents(events, (event) => out[event] === 0);
  const relevantOffsets = sharedU32(events.users + 1);
  // What is not used takes no memory.
  const relevant = sharedU32(item.length);
  let size = 0;
  for (let user = 0; user < events.users; user++) {
    const known = new Set<number>();
    for (let event = offsets[user]!; event < offsets[user + 1]!; event++)
      if (out[event] === 0 && type[event] === 0) known.add(item[event]!);
    for (let event = offsets[user]!; event < offsets[user + 1]!; event++)
      if (out[event] === 1 && type[event] === 0 && !known.has(item[event]!)) {
        known.add(item[event]!);
        relevant[size++] = item[event]!;
      }
    relevantOffsets[user + 1] = size;
  }
  return {
    train,
    heldOut: out,
    coldUsers: Uint32Array.from(coldUsers),
    relevantOffsets,
    relevant: relevant.subarray(0, size),
  };
}

/** Of the items with target events, this share is hidden: as many as a shop may add between two trainings. */
const hiddenShare = 0.1;

/**
 * The same split in which some items have lost all known events, so that it shows how items without events are served:
 * those that came last, or any if times do not tell. The items to predict remain the same.
 */
export function hideItems(events: Interactions, split: Split, seed: number): Split {
  const { items, item, type, time } = events;
  const first = new Float64Array(items).fill(Infinity);
  const hasTimes = findCut(events) !== undefined;
  for (let event = 0; event < item.length; event++)
    if (type[event] === 0) first[item[event]!] = Math.min(first[item[event]!]!, hasTimes ? time![event]! : 0);
  const known = [...first.keys()].filter((one) => first[one]! < Infinity);
  const count = Math.floor(hiddenShare * known.length);
  const newest = hasTimes
    ? known.sort((a, b) => first[b]! - first[a]! || a - b).slice(0, count)
    : draw(known, count, seededRandom(seed));
  const hidden = new Set(newest);
  const train = filterEvents(events, (event) => split.heldOut[event] === 0 && !hidden.has(item[event]!));
  return { ...split, train };
}

/** At least one event, but never all of a user's target events. */
const heldOutCount = (count: number, share: number) =>
  count < 2 ? 0 : Math.max(1, Math.round(count * share));

function markTail({ type }: Interactions, begin: number, end: number, share: number, out: Uint8Array): void {
  let count = 0;
  for (let event = begin; event < end; event++) if (type[event] === 0) count++;
  let left = heldOutCount(count, share);
  for (let event = end - 1; event >= begin && left > 0; event--) {
    out[event] = 1;
    if (type[event] === 0) left--;
  }
}

/** By item, not by event: if another event with an item remained, the item would be masked and could not be predicted. */
function markRandom(
  { item, type }: Interactions,
  begin: number,
  end: number,
  random: () => number,
  out: Uint8Array,
): void {
  const items = new Set<number>();
  for (let event = begin; event < end; event++) if (type[event] === 0) items.add(item[event]!);
  const held = new Set(draw(items, heldOutCount(items.size, heldOutShare), random));
  for (let event = begin; event < end; event++)
    if (type[event] === 0 && held.has(item[event]!)) out[event] = 1;
}

/** The newest target events are held out: few enough that the remaining data is almost as recent. */
const newestShare = 0.1;
/** How many event times are sampled to find the cut; more would not move it. */
const sampledTimes = 100_000;

/** The last minute before the held-out part; undefined if all target events are of the same minute. */
function findCut({ time, type }: Interactions): number | undefined {
  if (!time) return undefined;
  const count = type.reduce((sum, one) => sum + (one === 0 ? 1 : 0), 0);
  const every = Math.max(1, Math.ceil(count / sampledTimes));
  let seen = 0;
  const times = time.filter((_, event) => type[event] === 0 && seen++ % every === 0).sort();
  const newest = times.at(-1);
  const cut = times[Math.ceil(times.length * (1 - newestShare)) - 1];
  if (cut === undefined || cut !== newest) return cut;
  // More than the held-out share is of the newest minute, so exactly that minute is held out.
  return times.findLast((minute) => minute < cut);
}

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
