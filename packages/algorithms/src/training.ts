import type { Incidence } from './data/incidence.ts';
import type { Interactions } from './data/interactions.ts';
import type { Metrics } from './evaluation/metrics.ts';
import type { Estimate } from './statistics/interval.ts';

/** All data that a training may use. */
export interface TrainingData {
  readonly events: Interactions;
  /** Event types by which users reject an item. */
  readonly negativeTypes?: readonly number[] | undefined;
  /** Rows are users, columns the values of their attributes. */
  readonly userAttributes?: Incidence | undefined;
  /** Rows are items. */
  readonly itemAttributes?: Incidence | undefined;
  readonly itemColumns?: ItemColumns | undefined;
}

/** Which columns of `itemAttributes` are no values: the first of each kind, behind the values. Undefined if there are none. */
export interface ItemColumns {
  /** Areas of vectors. */
  readonly vectors?: number | undefined;
  /** Words of texts. */
  readonly words?: number | undefined;
}

/** How much events of a type count for one kind of user, and the quality for these users with and without them. */
export interface TypeContribution {
  /** As evidence for other items, where a target event counts 1; below 0 for a negative type. */
  readonly weight: number;
  /** As evidence for the item itself. */
  readonly hint: number;
  /** The test users with events of this type. */
  readonly users: number;
  readonly ndcg20: Estimate;
  readonly ndcg20Without: Estimate;
}

/** What an event type other than the target is worth. */
export interface TypeWorth {
  readonly type: number;
  /** For users without target events: test users whose target events were hidden. */
  readonly visitors: TypeContribution;
  /** For users with many target events: test users with their target events. */
  readonly active: TypeContribution;
  /** The weights for active users that were compared, on the validation users. */
  readonly tried: readonly { readonly weight: number; readonly ndcg20: number }[];
}

/** What one set of parameters reaches on the test users. */
export interface TestReport {
  /** On users with known events. */
  readonly test: Metrics;
  /** What recommending the most popular items to everybody reaches on the same users. */
  readonly popularity: Metrics;
  /** On users of whom at most attributes are known; undefined if there are too few users to hold some out. */
  readonly coldUsers: { readonly model: Metrics; readonly popularity: Metrics } | undefined;
  /** Items that occur only in the held-out part, and how many of them were recommended to the test users they are relevant to. */
  readonly coldItems: { readonly items: number; readonly users: number; readonly recall20: Estimate };
}
