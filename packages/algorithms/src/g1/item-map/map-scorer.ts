import type { LateItems } from '../../scorer.ts';
import { TopK } from '../../top-k.ts';
import type { G1Model } from '../model.ts';
import type { Term } from '../terms.ts';
import { featureEncoder } from './features.ts';
import { type ItemMap, type MapParameters, MapReader, mapWeight, refinedItems } from './item-map.ts';

/** What a model's map adds to a user's scores. */
export class MapScorer {
  readonly #map: ItemMap;
  readonly #parameters: MapParameters;
  readonly #reader: MapReader;
  readonly #isFew: Uint8Array;
  readonly #highest = new TopK(refinedItems);
  #encode: ((values: ArrayLike<number>) => number[]) | undefined;

  constructor(map: ItemMap, parameters: MapParameters) {
    this.#map = map;
    this.#parameters = parameters;
    this.#reader = new MapReader({ rows: map.rows, features: map.features.count });
    this.#isFew = new Uint8Array(map.events.length);
    for (const item of map.few) this.#isFew[item] = 1;
  }

  /** Undefined if the model has no map, or does not use it. */
  static of({ map, parameters }: G1Model): MapScorer | undefined {
    return map && parameters.map ? new MapScorer(map, parameters.map) : undefined;
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
    for (const { kind, row, weight } of terms) if (kind !== 'hint') this.#reader.add(row, weight);
    this.#highest.clear();
  }

  /** Offers a score of M: the map corrects only the highest ones, and those of items with few events. */
  offer(item: number, score: number): void {
    if (this.#isFew[item] === 0) this.#highest.offer(item, score);
  }

  /** The items with the highest scores of those offered. */
  get highest(): Uint32Array {
    return this.#highest.indices.subarray(0, this.#highest.size);
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

  /** The score of a late item, by its place among them. */
  lateScoreOf({ offsets, feature }: LateItems, place: number): number {
    return this.#parameters.fresh * this.#reader.of({ offsets, column: feature }, place);
  }

  /** The part of one row of the model in what the map adds: to an item, or to the late item at `place`. */
  rowAmount(row: number, item: number): number {
    const { offsets, column } = this.#map.phi;
    return this.weightOf(item) * this.#rowSum(row, column.subarray(offsets[item], offsets[item + 1]));
  }

  lateRowAmount(row: number, { offsets, feature }: LateItems, place: number): number {
    return this.#parameters.fresh * this.#rowSum(row, feature.subarray(offsets[place], offsets[place + 1]));
  }

  #rowSum(row: number, features: Uint32Array): number {
    const { offsets, feature, value, scale } = this.#map.rows;
    let sum = 0;
    for (let place = offsets[row]!; place < offsets[row + 1]!; place++)
      if (features.includes(feature[place]!)) sum += value[place]!;
    return sum * scale[row]!;
  }
}
