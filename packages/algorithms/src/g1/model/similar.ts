import { find } from '../../lib/find.ts';
import type { Part } from '../../scorer.ts';
import type { History } from '../data/history.ts';
import type { Term } from '../data/term.ts';
import type { SimilarItems } from '../items/similar-items.ts';
import type { G1Model } from './model.ts';
import { reachedBit, type Scratch } from './scratch.ts';
import { termsOf } from './terms.ts';

/**
 * Similarity is mutual: the smaller of the weights in both directions. If item A leads to B but B does not lead to A,
 * then B is merely popular or happens to follow. Such an item counts this much, so that it comes after mutual
 * neighbors.
 */
const oneSided = 0.1;

/** The weight of the user's own items, all together, relative to the anchors'. */
const personalShare = 0.3;

/** How similar the target at `place` is to the item of row `from`. */
function similarityAt(model: G1Model, from: number, place: number): number {
  const { offsets, target, value, rowScale } = model;
  const forth = rowScale[from]! * value[place]!;
  if (!(forth > 0)) return 0;
  const row = target[place]!;
  const back = find(target, offsets[row]!, offsets[row + 1]!, from);
  const mutual = back === undefined ? 0 : Math.min(forth, rowScale[row]! * value[back]!);
  return Math.max(mutual, oneSided * forth);
}

/** The items that a list is to be similar to. */
export interface Anchors {
  readonly known: readonly number[];
  /** What is similar to each anchor that the model does not know. */
  readonly late: readonly SimilarItems[];
}

/** The most similar items stand for an anchor that the model does not know. */
const standIns = 8;

/** The user's items besides the anchors, as terms that adjust the order of similar items. */
function personalTerms(model: G1Model, history: History, { known, late }: Anchors): Term[] {
  const own = [...termsOf(model, history, [])].filter(
    ({ kind, index }) => kind === 'item' && !known.includes(index),
  );
  const total = own.reduce((sum, { weight }) => sum + Math.abs(weight), 0);
  const scale = total > 0 ? (personalShare * (known.length + late.length)) / total : 0;
  return own.map((term) => ({ ...term, weight: term.weight * scale }));
}

/** All that the map needs for late items that are similar to the anchors. */
export function anchorTerms(model: G1Model, history: History, anchors: Anchors): Term[] {
  const known = anchors.known.map((row): Term => ({ kind: 'item', index: row, row, weight: 1 }));
  const late = anchors.late.flatMap(({ item, amount }, place) => {
    const total = amount.subarray(0, standIns).reduce((sum, one) => sum + one, 0);
    const index = model.items + place;
    return Array.from(item.subarray(0, standIns), (row, rank): Term => {
      return { kind: 'item', index, row, weight: amount[rank]! / total };
    });
  });
  return [...known, ...late, ...personalTerms(model, history, anchors)];
}

/** Adds the similarity to each anchor; then, to the items that this reached, the user's own terms. Returns how many it reached. */
export function addSimilar(
  model: G1Model,
  { score, state, touched }: Scratch,
  history: History,
  anchors: Anchors,
): number {
  const { offsets, target, value, rowScale } = model;
  let size = 0;
  const add = (item: number, amount: number) => {
    if (amount === 0) return;
    if (!(state[item]! & reachedBit)) touched[size++] = item;
    state[item]! |= reachedBit;
    score[item]! += amount;
  };
  for (const anchor of anchors.known)
    for (let place = offsets[anchor]!; place < offsets[anchor + 1]!; place++)
      add(target[place]!, similarityAt(model, anchor, place));
  for (const { item, amount } of anchors.late)
    for (let place = 0; place < item.length; place++) add(item[place]!, amount[place]!);
  for (const { row, weight } of personalTerms(model, history, anchors))
    for (let place = offsets[row]!; place < offsets[row + 1]!; place++) {
      const item = target[place]!;
      if (state[item]! & reachedBit) score[item]! += weight * rowScale[row]! * value[place]!;
    }
  return size;
}

/** The terms that `addSimilar` adds to an item. */
export function explainSimilar(model: G1Model, history: History, anchors: Anchors, item: number): Part[] {
  const { offsets, target, value, rowScale } = model;
  const placeIn = (row: number) => find(target, offsets[row]!, offsets[row + 1]!, item);
  const partOf = (index: number, amount: number): Part => ({ kind: 'item', index, amount });
  const similar = anchors.known.flatMap((anchor) => {
    const place = placeIn(anchor);
    const amount = place === undefined ? 0 : similarityAt(model, anchor, place);
    return amount === 0 ? [] : [partOf(anchor, amount)];
  });
  const late = anchors.late.flatMap((similarItems, place) => {
    const rank = similarItems.item.indexOf(item);
    return rank < 0 ? [] : [partOf(model.items + place, similarItems.amount[rank]!)];
  });
  const own = personalTerms(model, history, anchors).flatMap(({ index, row, weight }) => {
    const place = placeIn(row);
    return place === undefined ? [] : [partOf(index, weight * rowScale[row]! * value[place]!)];
  });
  return [...similar, ...late, ...own];
}

/** See `Scorer.similarities`. `columnOf` has a cell per item, all 0 before and after. */
export function compareItems(
  { offsets, target, value }: G1Model,
  columnOf: Uint16Array,
  rows: Int32Array,
  columns: Int32Array,
): Uint8Array {
  for (let column = 0; column < columns.length; column++)
    if (columns[column]! >= 0) columnOf[columns[column]!] = column + 1;
  const matrix = new Uint8Array(rows.length * columns.length);
  // Column 0 takes all other items, so that the loop has no branches.
  const row = new Uint8Array(columns.length + 1);
  for (let place = 0; place < rows.length; place++) {
    const item = rows[place]!;
    if (item < 0) continue;
    row.fill(0);
    const end = offsets[item + 1]!;
    // Values are relative to the largest of their row.
    for (let entry = offsets[item]!; entry < end; entry++)
      row[columnOf[target[entry]!]!] = Math.max(0, value[entry]!);
    matrix.set(row.subarray(1), place * columns.length);
  }
  for (const item of columns) if (item >= 0) columnOf[item] = 0;
  return matrix;
}
