import type { G1Model } from '../g1/model.ts';
import type { TasteSnapshot } from './snapshot.ts';

/** Where there is nothing to choose by. */
const defaultEvidence = 10;

/** k of a usage: how many events the model's prediction counts as. */
export function chooseEvidence(_snapshot: Omit<TasteSnapshot, 'evidence'>, _model: G1Model): number {
  return defaultEvidence;
}
