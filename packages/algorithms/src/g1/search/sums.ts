import type { TopK } from '../../lib/top-k.ts';
import { eachPair } from '../fit/pair-index.ts';
import { targetsPerPair } from '../fit/pair-targets.ts';
import type { Scorer } from '../fit/scorer.ts';
import type { Questions } from './questions.ts';

/**
 * What the evidence of one user adds to items, by several scorers of the same rows: each row is read from memory once for all of them.
 * Items have places in the order in which evidence reaches them, so that the sums of one user stay in the cache of the processor however
 * many items there are.
 */
export class Sums {
  readonly #questions: Questions;
  readonly #scorers: readonly Scorer[];
  readonly #rows: Pick<Scorer, 'items' | 'tasteOffsets' | 'tasteTarget'>;
  /** A scorer that uses transitions. */
  readonly #next: Scorer | undefined;
  readonly #pairs: Scorer['pairs'];
  /** By item: its place plus one; 0 if nothing has reached it. */
  readonly #placeOf: Uint32Array;
  readonly #reached: Uint32Array;
  #size = 0;
  /** By scorer and place. */
  #taste: Float64Array[];
  /** Of transitions, pairs and hints. */
  #other: Float64Array[];
  /** The different scales of targets, by item and by place. */
  readonly #scales: { readonly byItem: Float32Array; byPlace: Float32Array }[];
  /** Of the row that is being added. */
  #rowPlaces = new Uint32Array(256);

  constructor(questions: Questions, scorers: readonly Scorer[]) {
    this.#questions = questions;
    this.#scorers = scorers;
    this.#rows = scorers[0]!;
    this.#next = scorers.find(({ transitionScale }) => transitionScale !== 0);
    this.#pairs = scorers.find(({ pairs }) => pairs)?.pairs;
    const { items } = this.#rows;
    this.#placeOf = new Uint32Array(items);
    this.#reached = new Uint32Array(items);
    const capacity = Math.min(items, 1024);
    const scales = new Set(scorers.map(({ targetScale }) => targetScale));
    this.#scales = Array.from(scales, (byItem) => ({ byItem, byPlace: new Float32Array(capacity) }));
    this.#taste = scorers.map(() => new Float64Array(capacity));
    this.#other = scorers.map(() => new Float64Array(capacity));
  }

  /** Adds up the evidence of a user, after forgetting that of the previous one. */
  read(index: number): void {
    this.#clear();
    const { offsets, token, weight, age, hint } = this.#questions;
    const { items, tasteOffsets, tasteTarget } = this.#rows;
    const next = this.#next;
    for (let cell = offsets[index]!; cell < offsets[index + 1]!; cell++) {
      const source = token[cell]!;
      const strength = (recency: number) => weight[cell]! * (1 + age[cell]!) ** -recency;
      this.#reach(tasteTarget, tasteOffsets[source]!, tasteOffsets[source + 1]!);
      for (const [scorerIndex, scorer] of this.#scorers.entries())
        if (scorer.tasteScale !== 0) {
          const scale = strength(scorer.recency) * scorer.sourceScale[source]! * scorer.tasteScale;
          const [from, to] = [tasteOffsets[source]!, tasteOffsets[source + 1]!];
          this.#add(this.#taste[scorerIndex]!, scale, scorer.tasteWeight, from, to);
        }
      if (source >= items) continue;
      if (next) {
        const [from, to] = [next.transitionOffsets[source]!, next.transitionOffsets[source + 1]!];
        this.#reach(next.transitionTarget, from, to);
        for (const [scorerIndex, { recency, transitionScale }] of this.#scorers.entries())
          if (transitionScale !== 0)
            this.#add(
              this.#other[scorerIndex]!,
              strength(recency) * transitionScale,
              next.transitionWeight,
              from,
              to,
            );
      }
      if (hint[cell]! > 0) {
        this.#reach(token, cell, cell + 1);
        for (const sums of this.#other) sums[this.#rowPlaces[0]!]! += hint[cell]!;
      }
    }
    this.#addPairs(index);
  }

  #addPairs(index: number): void {
    const pairs = this.#pairs;
    if (!pairs) return;
    const { offsets, weight, age } = this.#questions;
    eachPair(pairs, this.#questions, offsets[index]!, offsets[index + 1]!, (pair, cell, factor) => {
      const from = pair * targetsPerPair;
      const to = from + pairs.count[pair]!;
      this.#reach(pairs.target, from, to);
      for (const [scorerIndex, { recency, pairScale }] of this.#scorers.entries()) {
        const strength = weight[cell]! * (1 + age[cell]!) ** -recency;
        if (pairScale !== 0)
          this.#add(this.#other[scorerIndex]!, strength * factor * pairScale, pairs.weight, from, to);
      }
    });
  }

  /** Offers the items that a scorer gives a positive score. */
  offer(scorerIndex: number, isSeen: Uint8Array, best: TopK): void {
    const { targetScale } = this.#scorers[scorerIndex]!;
    const { byPlace } = this.#scales.find(({ byItem }) => byItem === targetScale)!;
    const [reached, taste, other] = [this.#reached, this.#taste[scorerIndex]!, this.#other[scorerIndex]!];
    for (let place = 0; place < this.#size; place++) {
      const score = taste[place]! * byPlace[place]! + other[place]!;
      if (!(score > 0)) continue;
      const item = reached[place]!;
      // First what rejects most items.
      if (best.takes(item, score) && isSeen[item] === 0) best.offer(item, score);
    }
  }

  /** Finds the places of the items of a row. */
  #reach(target: Uint32Array, from: number, to: number): void {
    if (to - from > this.#rowPlaces.length) this.#rowPlaces = new Uint32Array(2 * (to - from));
    const [placeOf, reached, rowPlaces] = [this.#placeOf, this.#reached, this.#rowPlaces];
    let size = this.#size;
    for (let entry = from; entry < to; entry++) {
      const item = target[entry]!;
      let next = placeOf[item]!;
      if (next === 0) {
        reached[size] = item;
        next = placeOf[item] = ++size;
      }
      rowPlaces[entry - from] = next - 1;
    }
    if (size > this.#taste[0]!.length) this.#grow(size);
    for (const { byItem, byPlace } of this.#scales)
      for (let place = this.#size; place < size; place++) byPlace[place] = byItem[reached[place]!]!;
    this.#size = size;
  }

  #add(sums: Float64Array, scale: number, weight: Float32Array, from: number, to: number): void {
    const rowPlaces = this.#rowPlaces;
    for (let entry = from; entry < to; entry++) sums[rowPlaces[entry - from]!]! += scale * weight[entry]!;
  }

  #grow(size: number): void {
    const places = Math.min(this.#placeOf.length, 2 * size);
    const grown = (sums: Float64Array) => {
      const larger = new Float64Array(places);
      larger.set(sums);
      return larger;
    };
    this.#taste = this.#taste.map(grown);
    this.#other = this.#other.map(grown);
    for (const scale of this.#scales) {
      const larger = new Float32Array(places);
      larger.set(scale.byPlace);
      scale.byPlace = larger;
    }
  }

  #clear(): void {
    for (let place = 0; place < this.#size; place++) this.#placeOf[this.#reached[place]!] = 0;
    for (const sums of [...this.#taste, ...this.#other]) sums.fill(0, 0, this.#size);
    this.#size = 0;
  }
}
