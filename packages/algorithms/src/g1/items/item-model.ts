import { type Incidence, pickRows, rowOf } from '../../data/incidence.ts';
import type { Term } from '../data/term.ts';
import { MapReader, mapWeight, rowAmount } from './item-map.ts';
import { LateScores } from './late-scores.ts';
import { defaultMap, type ItemMap, type MapParameters, type ModelRows } from './map.ts';
import { SimilarFinder } from './similar-items.ts';

interface MappedModel extends ModelRows {
  readonly map?: ItemMap;
  readonly parameters: { readonly map: MapParameters | null };
}

/** What item attributes add to a model: all that scoring knows of its map. */
export class ItemModel {
  /** For items of the model. */
  readonly score: ItemScores;
  /** Items of the model that stand for one that it does not know. */
  readonly similar: SimilarFinder;
  /** For items that are newer than the model. */
  readonly late: LateScores;
  readonly #reader: MapReader;

  private constructor(model: ModelRows, map: ItemMap, parameters: MapParameters) {
    this.#reader = new MapReader({ rows: map.rows, features: map.features.count });
    this.score = new ItemScores(map, parameters, this.#reader);
    this.similar = new SimilarFinder(map);
    this.late = new LateScores(model, map, parameters, this.#reader);
  }

  /** Undefined if the model has no map, or does not use it. */
  static of(model: MappedModel): ItemModel | undefined {
    const { map, parameters } = model;
    // Files of earlier versions lack some parameters.
    return map && parameters.map
      ? new ItemModel(model, map, { ...defaultMap, ...parameters.map })
      : undefined;
  }

  /** Reads a user; `score` and `late` then apply to this user. */
  read(terms: readonly Term[]): void {
    this.#reader.clear();
    for (const { kind, row, weight } of terms)
      if (kind !== 'hint' && kind !== 'pair') this.#reader.add(row, weight);
  }
}

/** What the map adds to the scores of the model's items, for the user that was read last. */
class ItemScores {
  readonly #map: ItemMap;
  readonly #parameters: MapParameters;
  readonly #reader: MapReader;
  readonly #isFew: Uint8Array;
  /** The features and weights of items with few events, side by side: every call reads them all. */
  readonly #fewPhi: Pick<Incidence, 'offsets' | 'column'>;
  readonly #fewWeight: Float64Array;
  readonly #fewAmount: Float64Array;

  constructor(map: ItemMap, parameters: MapParameters, reader: MapReader) {
    this.#map = map;
    this.#parameters = parameters;
    this.#reader = reader;
    this.#isFew = new Uint8Array(map.events.length);
    for (const item of map.few) this.#isFew[item] = 1;
    this.#fewPhi = pickRows(map.phi, map.few);
    this.#fewWeight = Float64Array.from(map.few, (item) => this.#weightOf(item));
    this.#fewAmount = new Float64Array(map.few.length);
  }

  get few(): Uint32Array {
    return this.#map.few;
  }

  isFew(item: number): boolean {
    return this.#isFew[item] === 1;
  }

  #weightOf(item: number): number {
    return mapWeight(this.#parameters, this.#map.events[item]!);
  }

  amountOf(item: number): number {
    return this.#weightOf(item) * this.#reader.of(this.#map.phi, item);
  }

  /** The amount of each item with few events, in the order of `few`. Valid until the next call. */
  fewAmounts(): Float64Array {
    const amount = this.#fewAmount;
    this.#reader.sums(this.#fewPhi, amount.length, amount);
    for (let place = 0; place < amount.length; place++) amount[place]! *= this.#fewWeight[place]!;
    return amount;
  }

  /** The part of one term in an item's amount. */
  termAmount({ kind, row, weight }: Term, item: number): number {
    if (kind === 'hint' || kind === 'pair') return 0;
    return weight * (this.#weightOf(item) * rowAmount(this.#map.rows, row, rowOf(this.#map.phi, item)));
  }
}
