import type { Incidence } from '../../data/incidence.ts';
import type { Features } from './features.ts';

/** How much the map counts in a score. */
export interface MapParameters {
  /** The penalty of the regression. */
  readonly mu: number;
  /** The weight for items with many events, which halves at `knownEvents` events. */
  readonly known: number;
  readonly knownEvents: number;
  /** The weight for items without events. */
  readonly fresh: number;
  /** With this many events, half of what sets an item without events apart is gone. */
  readonly freshEvents: number;
  /** Whether words of texts are features. */
  readonly words?: boolean;
  /** Whether areas of vectors are features. */
  readonly vectors?: boolean;
}

/**
 * Without users to choose by. The penalty is not searched for: from 5 to 60, results differ by less than what chance
 * explains (Beauty, on held-out events of the train part).
 */
export const defaultMap: MapParameters = { mu: 20, known: 0.5, knownEvents: 10, fresh: 1, freshEvents: 3 };

/** What a model learned of item attributes: a score for any item, from its features alone. */
export interface ItemMap {
  readonly features: Features;
  /** By item of the model. */
  readonly phi: Incidence;
  /** By row of the model. */
  readonly rows: RowMap;
  /** By item, how many target events the training had. */
  readonly events: Uint32Array;
  /** Items with few events: they get a score from the map for every user, whether M reaches them or not. */
  readonly few: Uint32Array;
}

/** The map of each row of a model, sparse. */
export interface RowMap {
  readonly offsets: Uint32Array;
  readonly feature: Uint32Array;
  /** Relative to `scale` of the row. */
  readonly value: Int8Array;
  readonly scale: Float32Array;
}

/** The rows of a model, onto which the map is fitted. */
export interface ModelRows {
  readonly items: number;
  readonly offsets: Uint32Array;
  readonly target: Uint32Array;
  readonly value: Int8Array;
  readonly rowScale: Float32Array;
}
