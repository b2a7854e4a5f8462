import { sharedF32, sharedU32 } from '../arrays.ts';
import type { Executor, Kernel } from '../parallel.ts';
import { TopK } from '../top-k.ts';
import type { History } from './history.ts';

/** What quality is measured at. */
export const listLength = 20;
/** In a list that is short of items. */
export const noItem = 0xffffffff;

/** The users whose held-out items are predicted, flat, so that threads share them. */
export interface Questions {
  readonly users: Uint32Array;
  readonly offsets: Uint32Array;
  readonly token: Uint32Array;
  readonly weight: Float32Array;
  readonly age: Float32Array;
  readonly hint: Float32Array;
  readonly hadOffsets: Uint32Array;
  readonly had: Uint32Array;
  readonly wantedOffsets: Uint32Array;
  readonly wanted: Uint32Array;
}

/**
 * A model before it is stored: taste and transitions apart, with everything that costs no new fit as numbers beside
 * them, so that a search can turn those without building the model again.
 */
export interface Scorer {
  readonly items: number;
  readonly tasteK: number;
  readonly tasteCount: Uint32Array;
  readonly tasteTarget: Uint32Array;
  readonly tasteWeight: Float32Array;
  /** d_i^a of the sources, d_j^-a of the targets. */
  readonly sourceScale: Float32Array;
  readonly targetScale: Float32Array;
  /** Each part's share over its mean row mass; 0 leaves it out. */
  readonly tasteScale: number;
  readonly transitionK: number;
  readonly transitionCount: Uint32Array;
  readonly transitionTarget: Uint32Array;
  readonly transitionWeight: Float32Array;
  readonly transitionScale: number;
  readonly recency: number;
  /** What a hint (a cart) of an item itself adds to its score. */
  readonly hintScale: number;
  /** All items, the most popular first: what fills a list that evidence leaves short. */
  readonly popular: Uint32Array;
}

interface EvaluateInput extends Questions, Scorer {
  /** Of each user: those recommended, and the two metrics. */
  readonly list: Uint32Array;
  readonly recall: Float32Array;
  readonly ndcg: Float32Array;
}

function prepare(input: EvaluateInput): (from: number, to: number) => void {
  const { list, recall, ndcg, wantedOffsets, wanted } = input;
  const n = listLength;
  const recommend = recommender(input);
  return (from, to) => {
    for (let index = from; index < to; index++) {
      const size = recommend(index, list.subarray(index * n, (index + 1) * n));
      const held = new Set(wanted.subarray(wantedOffsets[index], wantedOffsets[index + 1]));
      let hits = 0;
      let gain = 0;
      for (let place = 0; place < size; place++)
        if (held.has(list[index * n + place]!)) {
          hits++;
          gain += 1 / Math.log2(place + 2);
        }
      let ideal = 0;
      for (let place = 0; place < Math.min(n, held.size); place++) ideal += 1 / Math.log2(place + 2);
      recall[index] = held.size > 0 ? hits / held.size : 0;
      ndcg[index] = held.size > 0 ? gain / ideal : 0;
    }
  };
}

export const evaluation: Kernel<EvaluateInput> = { name: 'evaluation', prepare };

function recommender(input: EvaluateInput): (index: number, into: Uint32Array) => number {
  const { items, offsets, token, weight, age, hint, had, hadOffsets } = input;
  const { tasteK, tasteCount, tasteTarget, tasteWeight, sourceScale, targetScale } = input;
  const { transitionK, transitionCount, transitionTarget, transitionWeight } = input;
  const taste = new Float64Array(items);
  const next = new Float64Array(items);
  const known = new Uint8Array(items);
  const touched = new Uint32Array(items);
  const best = new TopK(listLength);
  return (index, into) => {
    let reached = 0;
    const touch = (item: number) => {
      if (known[item]! & 1) return;
      known[item]! |= 1;
      touched[reached++] = item;
    };
    for (let cell = hadOffsets[index]!; cell < hadOffsets[index + 1]!; cell++) known[had[cell]!]! |= 2;
    for (let cell = offsets[index]!; cell < offsets[index + 1]!; cell++) {
      const source = token[cell]!;
      const strength = weight[cell]! * (1 + age[cell]!) ** -input.recency;
      if (input.tasteScale !== 0) {
        const scaled = strength * sourceScale[source]! * input.tasteScale;
        const end = source * tasteK + tasteCount[source]!;
        for (let place = source * tasteK; place < end; place++) {
          const item = tasteTarget[place]!;
          touch(item);
          taste[item]! += scaled * tasteWeight[place]!;
        }
      }
      if (input.transitionScale !== 0 && source < items) {
        const scaled = strength * input.transitionScale;
        const end = source * transitionK + transitionCount[source]!;
        for (let place = source * transitionK; place < end; place++) {
          const item = transitionTarget[place]!;
          touch(item);
          next[item]! += scaled * transitionWeight[place]!;
        }
      }
      if (hint[cell]! > 0 && source < items) {
        touch(source);
        next[source]! += hint[cell]! * input.hintScale;
      }
    }
    best.clear();
    for (let place = 0; place < reached; place++) {
      const item = touched[place]!;
      const score = taste[item]! * targetScale[item]! + next[item]!;
      if (score > 0 && known[item] === 1) best.offer(item, score);
      taste[item] = next[item] = 0;
      known[item]! &= 2;
    }
    best.sort();
    into.set(best.indices.subarray(0, best.size));
    let size = best.size;
    for (let rank = 0; size < listLength && rank < items; rank++) {
      const item = input.popular[rank]!;
      if (known[item] === 0 && !into.subarray(0, size).includes(item)) into[size++] = item;
    }
    into.fill(noItem, size);
    for (let cell = hadOffsets[index]!; cell < hadOffsets[index + 1]!; cell++) known[had[cell]!] = 0;
    return size;
  };
}

export interface Evaluation {
  readonly list: Uint32Array;
  readonly recall: Float32Array;
  readonly ndcg: Float32Array;
}

export async function evaluate(
  questions: Questions,
  scorer: Scorer,
  executor: Executor,
): Promise<Evaluation> {
  const count = questions.users.length;
  const list = sharedU32(count * listLength);
  const answers = { list, recall: sharedF32(count), ndcg: sharedF32(count) };
  await executor.run(evaluation, { ...questions, ...scorer, ...answers }, count);
  return answers;
}

/** Lays out the questions: for each of `users` a history, and what is wanted. */
export function ask(
  users: readonly number[],
  historyOf: (user: number) => History,
  wantedOf: (user: number) => Uint32Array,
): Questions {
  const histories = users.map(historyOf);
  const answers = users.map(wantedOf);
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
  const hadOffsets = flat(pick('had'));
  const wantedOffsets = flat(answers);
  const size = offsets.at(-1)!;
  return {
    users: fill(sharedU32(users.length), sharedU32(1), [users]),
    ...{ offsets, hadOffsets, wantedOffsets },
    token: fill(sharedU32(size), offsets, pick('token')),
    weight: fill(sharedF32(size), offsets, pick('weight')),
    age: fill(sharedF32(size), offsets, pick('age')),
    hint: fill(sharedF32(size), offsets, pick('hint')),
    had: fill(sharedU32(hadOffsets.at(-1)!), hadOffsets, pick('had')),
    wanted: fill(sharedU32(wantedOffsets.at(-1)!), wantedOffsets, answers),
  };
}
