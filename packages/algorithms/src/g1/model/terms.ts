import { find } from '../../lib/find.ts';
import type { Part } from '../../scorer.ts';
import type { History } from '../data/history.ts';
import { reasonOf, type Term } from '../data/term.ts';
import { eachPair, type PairIndex } from '../fit/pair-index.ts';
import type { G1Model } from './model.ts';

/** All terms of a user, in the order in which scores are added up. `attributes` are the model's tokens. */
export function* termsOf(model: G1Model, history: History, attributes: Iterable<number>): Generator<Term> {
  const { items, parameters } = model;
  let alone = true;
  for (const [place, token] of history.token.entries()) {
    // An item that is newer than the model has no row.
    if (token >= items) continue;
    const own = history.weight[place]!;
    const hint = history.hint[place]!;
    // A user with dislikes only gets popular items, except those similar to the disliked ones.
    if (own > 0 || hint > 0) alone = false;
    const fade = (1 + history.age[place]!) ** -parameters.recency;
    yield { kind: 'item', index: token, row: token, weight: own * fade };
    if (hint > 0) yield { kind: 'hint', index: token, row: 0, weight: hint };
  }
  if (model.pairs) yield* pairTermsOf(model, model.pairs, history);
  const first = items + (alone ? model.attributes : 0);
  const weight = alone ? 1 : parameters.attributeWeight;
  for (const value of attributes)
    if (value >= 0 && value < model.attributes)
      yield { kind: 'attribute', index: value, row: first + value, weight };
  if (alone) yield { kind: 'popularity', index: 0, row: items + 2 * model.attributes, weight: 1 };
}

function pairTermsOf({ items, attributes, parameters }: G1Model, pairs: PairIndex, history: History): Term[] {
  const terms: Term[] = [];
  eachPair(pairs, history, 0, history.token.length, (pair, place, factor) => {
    const fade = (1 + history.age[place]!) ** -parameters.recency;
    const weight = factor * history.weight[place]! * fade;
    terms.push({
      kind: 'pair',
      index: history.token[place]!,
      row: items + 2 * attributes + 1 + pair,
      weight,
    });
  });
  return terms;
}

/** What each term adds to the score of an item, for those that reach it. */
export function partsOf(
  { offsets, target, value, rowScale }: G1Model,
  terms: readonly Term[],
  item: number,
): Map<Term, Part> {
  const parts = new Map<Term, Part>();
  for (const term of terms) {
    const { kind, index, row, weight } = term;
    if (kind === 'hint') {
      if (index === item) parts.set(term, { kind, index, amount: weight });
      continue;
    }
    const place = find(target, offsets[row]!, offsets[row + 1]!, item);
    if (place !== undefined)
      parts.set(term, { ...reasonOf(term), amount: weight * rowScale[row]! * value[place]! });
  }
  return parts;
}
