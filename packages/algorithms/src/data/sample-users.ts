import { sharedF32, sharedU8, sharedU32 } from '../lib/arrays.ts';
import { seededRandom } from '../lib/random.ts';
import type { TrainingData } from '../training.ts';
import { pickRows } from './incidence.ts';
import type { Interactions } from './interactions.ts';

export interface SampleSize {
  /** With more events than this, a sample is drawn. */
  readonly above: number;
  /** About how many events it has. */
  readonly events: number;
}

export interface Sample {
  readonly data: TrainingData;
  /** The users of the sample, by their numbers in all data; undefined if it has all of them. */
  readonly users: Uint32Array | undefined;
}

/** A seeded sample of users with all their events, renumbered in order; small data itself. Items keep their numbers. */
export function sampleUsers(data: TrainingData, { above, events: wanted }: SampleSize, seed: number): Sample {
  const { events, userAttributes } = data;
  if (events.item.length <= above) return { data, users: undefined };
  const share = wanted / events.item.length;
  const random = seededRandom(seed);
  const users = Uint32Array.from({ length: events.users }, (_, user) => user).filter(() => random() < share);
  const sampled = {
    ...data,
    events: eventsOf(events, users),
    userAttributes: userAttributes && pickRows(userAttributes, users),
  };
  return { data: sampled, users };
}

function eventsOf(from: Interactions, users: Uint32Array): Interactions {
  const offsets = sharedU32(users.length + 1);
  for (const [place, user] of users.entries())
    offsets[place + 1] = offsets[place]! + from.offsets[user + 1]! - from.offsets[user]!;
  const size = offsets[users.length]!;
  const item = sharedU32(size);
  const type = sharedU8(size);
  const value = sharedF32(size);
  const time = from.time && sharedU32(size);
  for (const [place, user] of users.entries()) {
    const [start, end] = [from.offsets[user]!, from.offsets[user + 1]!];
    item.set(from.item.subarray(start, end), offsets[place]);
    type.set(from.type.subarray(start, end), offsets[place]);
    value.set(from.value.subarray(start, end), offsets[place]);
    if (from.time) time?.set(from.time.subarray(start, end), offsets[place]);
  }
  return { ...from, users: users.length, offsets, item, type, value, time };
}
