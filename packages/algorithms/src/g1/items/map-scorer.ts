import type { Incidence } from '../../data/incidence.ts';
import type { LateItems, TakenItem } from '../../scorer.ts';
import type { G1Model } from '../model/model.ts';
import { toStep } from '../model/steps.ts';
import type { Term } from '../model/terms.ts';
import { featureEncoder } from './features.ts';
import { MapReader, mapWeight } from './item-map.ts';
import { weighHistories } from './late-evidence.ts';
import { LateIndex } from './late-index.ts';
import { defaultMap, type ItemMap, type MapParameters } from './map.ts';
import { findSimilar, type SimilarItems } from './similar-items.ts';

/** Items that are compared with an item that the model does not know: at most 5 million additions, and the result is kept. */
const maxCompared = 250_000;
/** Results that are kept: at most 3 kB each. */
const maxSimilar = 500;

/** More than what the order of additions and rounding may change in a score. */
const slack = 1e-9;
const none = new Uint32Array(0);

/** What a model's map adds to a user's scores. */
export class MapScorer {
  readonly #map: ItemMap;
  readonly #parameters: MapParameters;
  readonly #reader: MapReader;
  readonly #isFew: Uint8Array;
  /** The features and weights of items with few events, side by side: every call reads them all. */
  readonly #fewPhi: Pick<Incidence, 'offsets' | 'column'>;
  readonly #fewWeight: Float64Array;
  readonly #fewAmount: Float64Array;
  #lateScore = new Float64Array(0);
  /** Of the late items of the last call. */
  #lateIndex: LateIndex | undefined;
  #lastLate: Uint32Array | undefined;
  /** By features. */
  readonly #similar = new Map<string, SimilarItems>();
  #encode: ((values: ArrayLike<number>) => number[]) | undefined;

  constructor(map: ItemMap, parameters: MapParameters) {
    this.#map = map;
    this.#parameters = parameters;
    this.#reader = new MapReader({ rows: map.rows, features: map.features.count });
    this.#isFew = new Uint8Array(map.events.length);
    for (const item of map.few) this.#isFew[item] = 1;
    this.#fewPhi = pickRows(map.phi, map.few);
    this.#fewWeight = Float64Array.from(map.few, (item) => this.weightOf(item));
    this.#fewAmount = new Float64Array(map.few.length);
  }

  /** Undefined if the model has no map, or does not use it. */
  static of({ map, parameters }: G1Model): MapScorer | undefined {
    // Files of earlier versions lack some parameters.
    return map && parameters.map ? new MapScorer(map, { ...defaultMap, ...parameters.map }) : undefined;
  }

  get few(): Uint32Array {
    return this.#map.few;
  }

  featuresOf(values: readonly number[]): Uint32Array {
    this.#encode ??= featureEncoder(this.#map.features);
    return Uint32Array.from(this.#encode(values));
  }

  /** Reads a user; the methods below then apply to this user. */
  read(terms: readonly Term[]): void {
    this.#reader.clear();
    for (const { kind, row, weight } of terms)
      if (kind !== 'hint' && kind !== 'pair') this.#reader.add(row, weight);
  }

  isFew(item: number): boolean {
    return this.#isFew[item] === 1;
  }

  weightOf(item: number): number {
    return mapWeight(this.#parameters, this.#map.events[item]!);
  }

  /** What the map adds to the score of an item of the model. */
  amountOf(item: number): number {
    return this.weightOf(item) * this.#reader.of(this.#map.phi, item);
  }

  /** What the map adds to the score of each item with few events, in the order of `few`. Valid until the next call. */
  fewAmounts(): Float64Array {
    const amount = this.#fewAmount;
    this.#reader.sums(this.#fewPhi, amount.length, amount);
    for (let place = 0; place < amount.length; place++) amount[place]! *= this.#fewWeight[place]!;
    return amount;
  }

  /** The scores of late items; `amounts` are those of their evidence. Valid until the next call. */
  lateScores(late: LateItems, amounts?: Float64Array): Float64Array {
    const { count, offsets, feature, evidence } = late;
    if (this.#lateScore.length < count) this.#lateScore = new Float64Array(2 * count);
    const score = this.#lateScore;
    this.#reader.sums({ offsets, column: feature }, count, score);
    for (let place = 0; place < count; place++) score[place] = toStep(this.#parameters.fresh * score[place]!);
    for (let index = 0; index < (evidence?.place.length ?? 0); index++)
      score[evidence!.place[index]!] = this.#takenScore(late, index, amounts);
    return score.subarray(0, count);
  }

  /**
   * Offers the late items with a score of at least `floor`, which is positive, and some others: a small part of the work of
   * `lateScores` if few reach it. Returns false, and offers none, if that does not save work.
   */
  offerLate(
    late: LateItems,
    amounts: Float64Array | undefined,
    floor: number,
    offer: (place: number, score: number) => void,
  ): boolean {
    const { fresh } = this.#parameters;
    const index = this.#indexOf(late);
    if (!index || !(fresh > 0)) return false;
    const { offsets, feature, evidence } = late;
    const taken = evidence?.place ?? none;
    const least = (floor * (1 - slack) - slack) / fresh;
    const phi = { offsets, column: feature };
    const isDone = index.visitAtLeast(least, this.#reader.byFeature, taken, (place) =>
      offer(place, toStep(fresh * this.#reader.of(phi, place))),
    );
    if (!isDone) return false;
    for (let place = 0; place < taken.length; place++)
      offer(taken[place]!, this.#takenScore(late, place, amounts));
    return true;
  }

  /** Undefined for items that are new in this call: they may change before the next one. */
  #indexOf(late: LateItems): LateIndex | undefined {
    if (this.#lastLate !== late.feature) {
      this.#lastLate = late.feature;
      this.#lateIndex = undefined;
      return undefined;
    }
    if (!this.#lateIndex?.isOf(late)) this.#lateIndex = new LateIndex(late, this.#map.features.count);
    return this.#lateIndex;
  }

  /** The score of the late item at `index` of the evidence. */
  #takenScore({ offsets, feature, evidence }: LateItems, index: number, amounts?: Float64Array): number {
    const weight = mapWeight(this.#parameters, evidence!.events[index]!);
    const mapped = this.#reader.of({ offsets, column: feature }, evidence!.place[index]!);
    return toStep(weight * mapped + (amounts?.[index] ?? 0));
  }

  /** The score of one late item; `amount` is that of its evidence. With events, the map counts less, as for items of the model. */
  lateScore(late: LateItems, place: number, amount = 0): number {
    const { offsets, feature } = late;
    const mapped = this.#reader.of({ offsets, column: feature }, place);
    return toStep(this.#lateWeight(late, place) * mapped + amount);
  }

  #lateWeight({ evidence }: LateItems, place: number): number {
    const index = evidence?.place.indexOf(place) ?? -1;
    return mapWeight(this.#parameters, index < 0 ? 0 : evidence!.events[index]!);
  }

  /** The items whose users the map expects to like an item with these features, the best of the first of `items`. */
  similarTo(features: Uint32Array, items: Uint32Array): SimilarItems {
    const key = features.join();
    const known = this.#similar.get(key);
    if (known) return known;
    const found = findSimilar(this.#map, features, items.subarray(0, maxCompared));
    if (this.#similar.size >= maxSimilar) this.#similar.clear();
    this.#similar.set(key, found);
    return found;
  }

  /** See `Scorer.weighHistories`. */
  weighHistories(histories: readonly Uint32Array[], events: number): TakenItem {
    return weighHistories(histories, events, this.#map.events);
  }

  /** The part of one row of the model in what the map adds: to an item, or to the late item at `place`. */
  rowAmount(row: number, item: number): number {
    const { offsets, column } = this.#map.phi;
    return this.weightOf(item) * this.#rowSum(row, column.subarray(offsets[item], offsets[item + 1]));
  }

  lateRowAmount(row: number, late: LateItems, place: number): number {
    const { offsets, feature } = late;
    const own = feature.subarray(offsets[place], offsets[place + 1]);
    return this.#lateWeight(late, place) * this.#rowSum(row, own);
  }

  #rowSum(row: number, features: Uint32Array): number {
    const { offsets, feature, value, scale } = this.#map.rows;
    let sum = 0;
    for (let place = offsets[row]!; place < offsets[row + 1]!; place++)
      if (features.includes(feature[place]!)) sum += value[place]!;
    return sum * scale[row]!;
  }
}

function pickRows({ offsets, column }: Incidence, rows: Uint32Array): Pick<Incidence, 'offsets' | 'column'> {
  const picked = new Uint32Array(rows.length + 1);
  for (const [place, row] of rows.entries())
    picked[place + 1] = picked[place]! + offsets[row + 1]! - offsets[row]!;
  const cells = new Uint32Array(picked[rows.length]!);
  for (const [place, row] of rows.entries())
    cells.set(column.subarray(offsets[row], offsets[row + 1]), picked[place]);
  return { offsets: picked, column: cells };
}
