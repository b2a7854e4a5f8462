import type { Filter } from '../filters/compile-filter.ts';
import type { CallBudget } from './call-budget.ts';

export interface CompiledBoost {
  readonly filter: Filter;
  readonly factor: number;
}

/** What the rules of a call say about one item, read from its whole record. */
export interface Marks {
  /** The boosts that it matches. */
  readonly boosts: readonly CompiledBoost[];
  /** The product of their factors. */
  readonly factor: number;
  /** Whether it matches the condition of `promote`. */
  readonly isPromoted: boolean;
  /** Its values of the attribute that `max_per_value` limits. */
  readonly values: readonly unknown[];
  /** Its attribute values, to compare items by, if the model does not know which items are similar. */
  readonly tokens: readonly string[];
}

/** Why an item has its place. */
export interface Placed {
  readonly by: 'score' | 'pin' | 'promote' | 'new_item_share' | 'diversity';
  /** The position that the pin requested. */
  readonly position?: number;
  /** The condition of a promotion. */
  readonly if?: string;
  /** With which a new item was drawn for its position, given the items above it. */
  readonly probability?: number;
}

/** Parts of `diversity`, each undefined if it is not requested. */
export interface DiversityRules {
  /** How much similarity to items further up counts against an item: 0 to 1. */
  readonly weight: number | undefined;
  readonly cap: { readonly attribute: string; readonly maxPerValue: number } | undefined;
}

/** The rules of a call, ready to be applied. */
export interface Rules {
  readonly boosts: readonly CompiledBoost[];
  /** Items by position. Empty on all pages but the first. */
  readonly pins: ReadonlyMap<number, string>;
  readonly promotion: { readonly filter: Filter; readonly share: number } | undefined;
  /** 0 if no positions are reserved for new items. */
  readonly newItemShare: number;
  readonly diversity: DiversityRules;
  /** The attributes that `mark` reads; undefined if it may read any. */
  readonly attributes: readonly string[] | undefined;
  /** The product of the factors of all boosts that the item matches. */
  readonly factorOf: (
    attributes: Readonly<Record<string, unknown>>,
    itemId: string,
    budget: CallBudget,
  ) => number;
  /** Spends the steps of all conditions from `budget`. */
  readonly mark: (attributes: Readonly<Record<string, unknown>>, itemId: string, budget: CallBudget) => Marks;
}
