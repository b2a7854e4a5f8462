import type { Part } from '../../scorer.ts';

/** What one piece of evidence adds to a user's scores: `weight` times a row of the model, or `weight` to an item alone. */
export interface Term {
  /** As in `Part`; or `pair`: an item that came soon after another one, with the number of the later item. */
  readonly kind: Part['kind'] | 'pair';
  readonly index: number;
  /** The row of the model; a hint has none. */
  readonly row: number;
  readonly weight: number;
}

/** Two items in a row are a reason that names the later one. */
export const reasonOf = ({ kind, index }: Term): Pick<Part, 'kind' | 'index'> => ({
  kind: kind === 'pair' ? 'item' : kind,
  index,
});

/**
 * Scores with more parts than M are multiples of 2^-32. Sums of such numbers up to a million are exact, so that reasons add up
 * to the score although the score itself is computed another way.
 */
const steps = 2 ** 32;
export const toStep = (score: number) => Math.round(score * steps) / steps;
