import type { Incidence } from '../../data/incidence.ts';
import type { Term } from '../data/term.ts';
import { type MapReader, mapWeight, rowAmount } from './item-map.ts';
import type { ItemMap, MapParameters } from './map.ts';

/** What the map adds to the scores of the model's items, for the user that was read last. */
export class ItemScores {
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
    const { offsets, column } = this.#map.phi;
    const own = column.subarray(offsets[item], offsets[item + 1]);
    return weight * (this.#weightOf(item) * rowAmount(this.#map.rows, row, own));
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
