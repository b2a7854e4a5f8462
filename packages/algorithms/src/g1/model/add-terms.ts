import { type Term, toStep } from '../data/term.ts';
import type { G1Model } from './model.ts';
import { reachedBit, type Scratch } from './scratch.ts';

/** Adds terms to the scores. Returns how many items they touched; items whose terms cancel out may be left out. */
export function addTerms(model: G1Model, scratch: Scratch, terms: readonly Term[]): number {
  const size =
    countEntries(model, terms) < model.items
      ? addToFew(model, scratch, terms)
      : addToMany(model, scratch, terms);
  const { score, touched } = scratch;
  // So that the reasons, one per item, add up to the score exactly.
  if (model.pairs)
    for (let place = 0; place < size; place++) score[touched[place]!] = toStep(score[touched[place]!]!);
  return size;
}

function countEntries({ offsets }: G1Model, terms: readonly Term[]): number {
  let entries = 0;
  for (const { kind, row } of terms) entries += kind === 'hint' ? 1 : offsets[row + 1]! - offsets[row]!;
  return entries;
}

/** Notes each item when a term reaches it first: the cost does not depend on the number of items. */
function addToFew(
  { offsets, target, value, rowScale }: G1Model,
  { score, state, touched }: Scratch,
  terms: readonly Term[],
): number {
  let size = 0;
  for (const { kind, index, row, weight } of terms) {
    if (kind === 'hint') {
      if (!(state[index]! & reachedBit)) touched[size++] = index;
      state[index]! |= reachedBit;
      score[index]! += weight;
      continue;
    }
    const scaled = weight * rowScale[row]!;
    const end = offsets[row + 1]!;
    for (let place = offsets[row]!; place < end; place++) {
      const item = target[place]!;
      if (!(state[item]! & reachedBit)) touched[size++] = item;
      state[item]! |= reachedBit;
      score[item]! += scaled * value[place]!;
    }
  }
  return size;
}

/** Adds first, and then looks for the touched items: half the time if the terms have more entries than there are items. */
function addToMany(
  { items, offsets, target, value, rowScale }: G1Model,
  { score, state, touched }: Scratch,
  terms: readonly Term[],
): number {
  for (const { kind, index, row, weight } of terms) {
    if (kind === 'hint') {
      score[index]! += weight;
      continue;
    }
    const scaled = weight * rowScale[row]!;
    const end = offsets[row + 1]!;
    for (let place = offsets[row]!; place < end; place++) score[target[place]!]! += scaled * value[place]!;
  }
  let size = 0;
  for (let item = 0; item < items; item++) {
    if (score[item] === 0) continue;
    state[item]! |= reachedBit;
    touched[size++] = item;
  }
  return size;
}
