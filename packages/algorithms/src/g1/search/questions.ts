import { sharedF32, sharedU32 } from '../../lib/arrays.ts';
import type { History } from '../data/history.ts';

/** The users whose held-out items are predicted, in flat arrays that threads can share. */
export interface Questions {
  readonly users: Uint32Array;
  readonly offsets: Uint32Array;
  readonly token: Uint32Array;
  readonly weight: Float32Array;
  readonly age: Float32Array;
  readonly hint: Float32Array;
  readonly seenOffsets: Uint32Array;
  readonly seen: Uint32Array;
  readonly relevantOffsets: Uint32Array;
  readonly relevant: Uint32Array;
}

/** Builds the questions: for each of `users`, the history and the relevant items. */
export function ask(
  users: readonly number[],
  historyOf: (user: number) => History,
  relevantTo: (user: number) => Uint32Array,
): Questions {
  const histories = users.map(historyOf);
  const answers = users.map(relevantTo);
  const flat = (lists: readonly ArrayLike<number>[]) => {
    const offsets = sharedU32(lists.length + 1);
    for (const [index, list] of lists.entries()) offsets[index + 1] = offsets[index]! + list.length;
    return offsets;
  };
  const fill = <T extends { set(from: ArrayLike<number>, at: number): void }>(
    to: T,
    offsets: Uint32Array,
    lists: readonly ArrayLike<number>[],
  ) => {
    for (const [index, list] of lists.entries()) to.set(list, offsets[index]!);
    return to;
  };
  const pick = (field: keyof History) => histories.map((history) => history[field]);
  const offsets = flat(pick('token'));
  const excluded = histories.map(({ seen, disliked }) => [...seen, ...disliked]);
  const seenOffsets = flat(excluded);
  const relevantOffsets = flat(answers);
  const size = offsets.at(-1)!;
  return {
    users: fill(sharedU32(users.length), sharedU32(1), [users]),
    offsets,
    seenOffsets,
    relevantOffsets,
    token: fill(sharedU32(size), offsets, pick('token')),
    weight: fill(sharedF32(size), offsets, pick('weight')),
    age: fill(sharedF32(size), offsets, pick('age')),
    hint: fill(sharedF32(size), offsets, pick('hint')),
    seen: fill(sharedU32(seenOffsets.at(-1)!), seenOffsets, excluded),
    relevant: fill(sharedU32(relevantOffsets.at(-1)!), relevantOffsets, answers),
  };
}
