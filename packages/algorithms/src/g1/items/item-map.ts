import type { Incidence } from '../../data/incidence.ts';
import type { Interactions } from '../../data/interactions.ts';
import type { Executor } from '../../kernels/parallel.ts';
import { sharedU8, sharedU32 } from '../../lib/arrays.ts';
import { TopK } from '../../lib/top-k.ts';
import type { TrainingData } from '../../training.ts';
import { encodeItems, type Features, learnFeatures, type UsedColumns } from './features.ts';
import { fitRows, type MapBasis, prepareMap } from './fit-map.ts';
import type { ItemMap, MapParameters, ModelRows, RowMap } from './map.ts';
import { columnsOf } from './sources.ts';

/** An item with fewer target events has few events. */
const fewEvents = 5;
/** Limits the cost of a call; those with the fewest events are kept, then those with the highest predicted popularity. */
const maxFew = 2048;

/** The weight of the map in the score of an item with `events` target events. */
export function mapWeight({ known, knownEvents, fresh, freshEvents }: MapParameters, events: number): number {
  return (
    (known * knownEvents) / (events + knownEvents) + ((fresh - known) * freshEvents) / (events + freshEvents)
  );
}

/** By item: the number of its target events. */
function countEvents({ items, item, type }: Interactions): Uint32Array {
  const events = sharedU32(items);
  for (let event = 0; event < item.length; event++) if (type[event] === 0) events[item[event]!]!++;
  return events;
}

/** Everything that does not depend on the rows of a model and on `mu`. */
export interface MapSource extends MapBasis {
  readonly features: Features;
  readonly events: Uint32Array;
}

/** Undefined if no two items with events are known to share anything. */
export async function readItems(
  events: Interactions,
  attributes: Incidence | undefined,
  executor: Executor,
  columns?: UsedColumns,
): Promise<MapSource | undefined> {
  if (!attributes || attributes.columns === 0) return undefined;
  const counts = countEvents(events);
  const isKnown = sharedU8(events.items);
  for (let item = 0; item < events.items; item++) isKnown[item] = counts[item]! > 0 ? 1 : 0;
  const features = learnFeatures(attributes, isKnown, columns);
  if (features.count < 2) return undefined;
  const phi = encodeItems(features, attributes, events.items);
  return { ...(await prepareMap(phi, isKnown, executor)), features, events: counts };
}

/** The rows of a model, and the popularity of its items. */
interface LearnedFrom extends ModelRows {
  readonly popularity: Float32Array;
}

async function fitItemMap(
  source: MapSource,
  model: LearnedFrom,
  mu: number,
  executor: Executor,
): Promise<ItemMap> {
  const { features, phi, events } = source;
  const rows = await fitRows(source, model, mu, executor);
  return { features, phi, rows, events, few: findFew(source, rows, model.popularity) };
}

/** What item attributes say about these rows; undefined if nothing, or if it counts nothing. */
export async function learnMap(
  model: LearnedFrom & { readonly attributes: number },
  parameters: MapParameters | null,
  { events, itemAttributes, itemColumns }: Pick<TrainingData, 'events' | 'itemAttributes' | 'itemColumns'>,
  executor: Executor,
): Promise<ItemMap | undefined> {
  if (!parameters || !itemAttributes) return undefined;
  const columns = columnsOf(itemAttributes.columns, itemColumns, parameters);
  const source = await readItems(events, itemAttributes, executor, columns);
  if (!source) return undefined;
  // Pairs of items have no rows in the map.
  const rowScale = model.rowScale.subarray(0, model.items + 2 * model.attributes + 1);
  return fitItemMap(source, { ...model, rowScale }, parameters.mu, executor);
}

/**
 * The items with few events that are scored for every user. Those without events come first: nothing else can reach them.
 * Popularity is predicted as what the map says to the average user.
 */
function findFew({ phi, events }: MapSource, rows: RowMap, popularity: Float32Array): Uint32Array {
  const reader = new MapReader({ rows, features: phi.columns });
  for (let item = 0; item < events.length; item++) reader.add(item, popularity[item]!);
  const best = new TopK(Math.min(maxFew, events.length));
  const few = sharedU32(best.k);
  let size = 0;
  for (let count = 0; count < fewEvents && size < few.length; count++) {
    best.clear();
    for (let item = 0; item < events.length; item++)
      if (events[item] === count) best.offer(item, reader.of(phi, item));
    best.sort();
    const kept = best.indices.subarray(0, Math.min(best.size, few.length - size));
    few.set(kept, size);
    size += kept.length;
  }
  return few.subarray(0, size).sort();
}

/** Adds up the rows of the map that apply to a user: q_f = sum_s h_s B_sf. */
export class MapReader {
  readonly #rows: RowMap;
  readonly #sum: Float64Array;

  constructor({ rows, features }: { rows: RowMap; features: number }) {
    this.#rows = rows;
    this.#sum = new Float64Array(features);
  }

  clear(): void {
    this.#sum.fill(0);
  }

  add(row: number, weight: number): void {
    const { offsets, feature, value, scale } = this.#rows;
    const scaled = weight * scale[row]!;
    const end = offsets[row + 1]!;
    for (let place = offsets[row]!; place < end; place++)
      this.#sum[feature[place]!]! += scaled * value[place]!;
  }

  /** q. Valid until the next user. */
  get byFeature(): Float64Array {
    return this.#sum;
  }

  /** What the features of row `index` say: the sum of q_f over them. */
  of({ offsets, column }: Pick<Incidence, 'offsets' | 'column'>, index: number): number {
    const end = offsets[index + 1]!;
    let total = 0;
    for (let cell = offsets[index]!; cell < end; cell++) total += this.#sum[column[cell]!]!;
    return total;
  }

  /** The same for the first `count` rows at once. */
  sums({ offsets, column }: Pick<Incidence, 'offsets' | 'column'>, count: number, into: Float64Array): void {
    const sum = this.#sum;
    let cell = offsets[0] ?? 0;
    for (let row = 0; row < count; row++) {
      const end = offsets[row + 1]!;
      let total = 0;
      for (; cell < end; cell++) total += sum[column[cell]!]!;
      into[row] = total;
    }
  }
}

/** What row `row` of the model adds to an item with these features. */
export function rowAmount(
  { offsets, feature, value, scale }: RowMap,
  row: number,
  features: Uint32Array,
): number {
  let sum = 0;
  for (let place = offsets[row]!; place < offsets[row + 1]!; place++)
    if (features.includes(feature[place]!)) sum += value[place]!;
  return sum * scale[row]!;
}
