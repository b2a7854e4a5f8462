import type { LateEvidence, LateItems, TakenItem } from '../../scorer.ts';
import { type Term, toStep } from '../data/term.ts';
import { featureEncoder } from './features.ts';
import { type MapReader, mapWeight, rowAmount } from './item-map.ts';
import { evidenceAmounts, termAmount, weighHistories } from './late-evidence.ts';
import { LateIndex } from './late-index.ts';
import type { ItemMap, MapParameters, ModelRows } from './map.ts';

/** More than what the order of additions and rounding may change in a score. */
const slack = 1e-9;
const none = new Uint32Array(0);

/** The scores of items that the model does not know, by their features and by who took them, for the user that was read last. */
export class LateScores {
  readonly #model: ModelRows;
  readonly #map: ItemMap;
  readonly #parameters: MapParameters;
  readonly #reader: MapReader;
  #score = new Float64Array(0);
  /** Of the late items of the last call. */
  #index: LateIndex | undefined;
  #last: Uint32Array | undefined;
  #encode: ((values: ArrayLike<number>) => number[]) | undefined;

  constructor(model: ModelRows, map: ItemMap, parameters: MapParameters, reader: MapReader) {
    this.#model = model;
    this.#map = map;
    this.#parameters = parameters;
    this.#reader = reader;
  }

  featuresOf(values: readonly number[]): Uint32Array {
    this.#encode ??= featureEncoder(this.#map.features);
    return Uint32Array.from(this.#encode(values));
  }

  /** See `Scorer.weighHistories`. */
  weighHistories(histories: readonly Uint32Array[], events: number): TakenItem {
    return weighHistories(histories, events, this.#map.events);
  }

  /** What evidence adds to scores. `score` are those of a user before corrections. */
  evidenceAmounts(evidence: LateEvidence, terms: readonly Term[], score: Float64Array): Float64Array {
    return evidenceAmounts(evidence, terms, score);
  }

  /** The scores of late items; `amounts` are those of their evidence. Valid until the next call. */
  scores(late: LateItems, amounts?: Float64Array): Float64Array {
    const { count, offsets, feature, evidence } = late;
    if (this.#score.length < count) this.#score = new Float64Array(2 * count);
    const score = this.#score;
    this.#reader.sums({ offsets, column: feature }, count, score);
    for (let place = 0; place < count; place++) score[place] = toStep(this.#parameters.fresh * score[place]!);
    for (let index = 0; index < (evidence?.place.length ?? 0); index++)
      score[evidence!.place[index]!] = this.#takenScore(late, index, amounts);
    return score.subarray(0, count);
  }

  /**
   * Offers the late items with a score of at least `floor`, which is positive, and some others: a small part of the work of
   * `scores` if few reach it. Returns false, and offers none, if that does not save work.
   */
  offer(
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
    if (this.#last !== late.feature) {
      this.#last = late.feature;
      this.#index = undefined;
      return undefined;
    }
    if (!this.#index?.isOf(late)) this.#index = new LateIndex(late, this.#map.features.count);
    return this.#index;
  }

  /** The score of the late item at `index` of the evidence. */
  #takenScore({ offsets, feature, evidence }: LateItems, index: number, amounts?: Float64Array): number {
    const weight = mapWeight(this.#parameters, evidence!.events[index]!);
    const mapped = this.#reader.of({ offsets, column: feature }, evidence!.place[index]!);
    return toStep(weight * mapped + (amounts?.[index] ?? 0));
  }

  /** The score of one late item. With events, the map counts less, as for items of the model. */
  scoreOf(late: LateItems, place: number, amounts?: Float64Array): number {
    const { offsets, feature } = late;
    const index = indexIn(late, place);
    const mapped = this.#reader.of({ offsets, column: feature }, place);
    return toStep(this.#weightOf(late, index) * mapped + (amounts?.[index] ?? 0));
  }

  #weightOf({ evidence }: LateItems, index: number): number {
    return mapWeight(this.#parameters, index < 0 ? 0 : evidence!.events[index]!);
  }

  /** The part of one term in the score of a late item. */
  termAmount(term: Term, late: LateItems, place: number): number {
    const { kind, row, weight } = term;
    const { offsets, feature, evidence } = late;
    const index = indexIn(late, place);
    const own = feature.subarray(offsets[place], offsets[place + 1]);
    const mapped =
      kind === 'hint' || kind === 'pair'
        ? 0
        : weight * (this.#weightOf(late, index) * rowAmount(this.#map.rows, row, own));
    return mapped + (index < 0 ? 0 : termAmount(evidence!, index, term, this.#model));
  }
}

/** Of a late item, in the evidence; -1 if nobody took it. */
const indexIn = ({ evidence }: LateItems, place: number) => evidence?.place.indexOf(place) ?? -1;
