import type { History } from './history.ts';
import { find, type G1Model } from './model.ts';
import { type Term, termsOf } from './terms.ts';

/**
 * Similarity is mutual: the smaller of the weights in both directions. If item A leads to B but B does not lead to A,
 * then B is merely popular or happens to follow. Such an item counts this much, so that it comes after mutual
 * neighbors.
 */
const oneSided = 0.1;

/** The weight of the user's own items, all together, relative to the anchors'. */
const personalShare = 0.3;

/** How similar the target at `place` is to the item of row `from`. */
export function similarityAt(model: G1Model, from: number, place: number): number {
  const { offsets, target, value, rowScale } = model;
  const forth = rowScale[from]! * value[place]!;
  if (!(forth > 0)) return 0;
  const row = target[place]!;
  const back = find(target, offsets[row]!, offsets[row + 1]!, from);
  const mutual = back === undefined ? 0 : Math.min(forth, rowScale[row]! * value[back]!);
  return Math.max(mutual, oneSided * forth);
}

/** The user's items besides the anchors, as terms that adjust the order of similar items. */
export function personalTerms(model: G1Model, history: History, anchors: readonly number[]): Term[] {
  const own = [...termsOf(model, history, [])].filter(
    ({ kind, index }) => kind === 'item' && !anchors.includes(index),
  );
  const total = own.reduce((sum, { weight }) => sum + Math.abs(weight), 0);
  const scale = total > 0 ? (personalShare * anchors.length) / total : 0;
  return own.map((term) => ({ ...term, weight: term.weight * scale }));
}
