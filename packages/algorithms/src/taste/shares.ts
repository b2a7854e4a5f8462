import type { TasteSnapshot } from './snapshot.ts';

/** Users as a model sees them: the part of a snapshot about users. */
export type ModelledUsers = Pick<TasteSnapshot, 'events' | 'userAttributes'>;

/** Which share of a user's future events a model expects on items that carry a value. */
export interface PredictedShares {
  /** For items that are 1 in `carried`: by user, the share from 0 to 1; undefined for a user whom the model cannot predict. */
  of(carried: Uint8Array): (user: number) => number | undefined;
}
