import type { Term } from '../data/term.ts';
import { MapReader } from './item-map.ts';
import { ItemScores } from './item-scores.ts';
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
