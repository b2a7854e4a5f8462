import { find } from '../../lib/find.ts';
import type { LateEvidence, TakenItem } from '../../scorer.ts';
import type { Term } from '../data/term.ts';
import type { ModelRows } from './map.ts';

/** Items that say most about a late item. */
const maxItems = 64;
/** Users with long histories say less, and so do items that many users have. */
const historyExponent = -0.6;
const popularityExponent = -0.5;
/** What an item says about itself, as in the map. */
const own = 0.2;
/** Brings evidence to the scale of scores. Of 1 to 6, none is better on both Beauty and ML-1M by more than chance explains. */
const scale = 3;
/** With this many events, evidence counts half. */
const halfEvents = 3;

/**
 * What the users who took a late item say about it: the items that they have besides, with weights. `histories` are the
 * items of those users, each once; `events` is how many users took it.
 */
export function weighHistories(
  histories: readonly Uint32Array[],
  events: number,
  popularity: ArrayLike<number>,
): TakenItem {
  const weights = new Map<number, number>();
  for (const items of histories)
    for (const item of items) {
      const weight = items.length ** historyExponent * Math.max(1, popularity[item]!) ** popularityExponent;
      weights.set(item, (weights.get(item) ?? 0) + weight);
    }
  const factor = (scale * events) / (events + halfEvents) / Math.max(1, histories.length);
  const kept = [...weights]
    .sort(([one, more], [other, less]) => less - more || one - other)
    .slice(0, maxItems);
  return {
    events,
    item: Uint32Array.from(kept, ([item]) => item),
    weight: Float32Array.from(kept, ([, weight]) => factor * weight),
  };
}

/** What evidence adds to the scores of late items, in the order of `evidence.place`. `score` are those of a user before corrections. */
export function evidenceAmounts(
  { place, offsets, item, weight }: LateEvidence,
  terms: readonly Term[],
  score: Float64Array,
): Float64Array {
  const items = terms.filter(({ kind }) => kind === 'item');
  const before = items.map(({ row }) => score[row]!);
  for (const term of items) score[term.row]! += own * term.weight;
  const amounts = new Float64Array(place.length);
  let cell = 0;
  for (let index = 0; index < amounts.length; index++) {
    const end = offsets[index + 1]!;
    let sum = 0;
    for (; cell < end; cell++) sum += weight[cell]! * score[item[cell]!]!;
    amounts[index] = sum;
  }
  for (const [index, term] of items.entries()) score[term.row] = before[index]!;
  return amounts;
}

/** What a term of the user adds to the amount of the late item at `index` of the evidence. */
export function termAmount(
  { offsets, item, weight }: LateEvidence,
  index: number,
  { kind, index: of, row, weight: strength }: Term,
  model: ModelRows,
): number {
  let sum = 0;
  for (let cell = offsets[index]!; cell < offsets[index + 1]!; cell++) {
    const known = item[cell]!;
    if (kind === 'hint') {
      if (known === of) sum += weight[cell]!;
      continue;
    }
    const place = find(model.target, model.offsets[row]!, model.offsets[row + 1]!, known);
    if (place !== undefined) sum += weight[cell]! * model.rowScale[row]! * model.value[place]!;
    if (kind === 'item' && known === row) sum += weight[cell]! * own;
  }
  return strength * sum;
}
