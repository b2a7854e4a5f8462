import type { Training } from '@tastegraph/algorithms';
import type { Goal } from '../report.ts';

/** What one data set showed. Rows of the same table are printed together. */
export interface Outcome {
  readonly table: string;
  readonly rows: readonly Record<string, string | number>[];
  readonly goals: readonly Goal[];
  readonly figures: Record<string, unknown>;
}

/** Four digits, as the papers print them. */
export const place = (value: number) => value.toFixed(4);

/** What a training says of itself, without its model. */
export function describe({ parameters, validation, popularity, holdOut, fits }: Training) {
  return { parameters, validation, validation_popularity: popularity, hold_out: holdOut, fits };
}
