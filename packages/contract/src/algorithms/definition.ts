import type { TObject } from 'typebox';

/** What the API shows of an algorithm. How it trains and scores is in packages/algorithms. */
export interface AlgorithmDefinition {
  /** The `algorithm_type`. */
  readonly type: string;
  readonly description: string;
  /** All parameters are optional: the service chooses those that are absent. */
  readonly parameters: TObject;
}
