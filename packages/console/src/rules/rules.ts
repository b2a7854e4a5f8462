import { ApiError } from '@tastegraph/sdk';

/** The rules of the call, as they are typed. */
export interface Rules {
  readonly filter: string;
  readonly boosts: readonly BoostRule[];
  /** 0 to 0.5. */
  readonly newItemShare: number;
}

interface BoostRule {
  readonly id: number;
  readonly condition: string;
  readonly factor: number;
}

export const noRules: Rules = { filter: '', boosts: [], newItemShare: 0 };

/** The fields of the request. Rules that are still empty are left out. */
export function ruleFields({ filter, boosts, newItemShare }: Rules) {
  const filled = boosts.filter(({ condition }) => condition.trim() !== '');
  return {
    ...(filter.trim() === '' ? {} : { filter_query: filter.trim() }),
    ...(filled.length === 0
      ? {}
      : { boosts: filled.map(({ condition, factor }) => ({ if: condition.trim(), factor })) }),
    ...(newItemShare > 0 && { new_item_share: newItemShare }),
  };
}

/** How many rules are sent, in a word. */
export function countRules(rules: Rules): string {
  const { filter_query, new_item_share, boosts = [] } = ruleFields(rules);
  const others = [filter_query, new_item_share].filter((field) => field !== undefined);
  const count = boosts.length + others.length;
  return count === 0 ? 'none' : String(count);
}

/** What the API says of each field, by the path of the field: `filter_query`, `boosts.0.if`, `promote.if`. */
export function ruleErrors(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  const ofRules = error.errors.filter(({ path }) => /^(?:filter_query|boosts\b|promote\b)/.test(path));
  return new Map(ofRules.map(({ path, message }) => [path, message]));
}

/** The index of a boost among those that are sent. */
export const sentIndex = ({ boosts }: Rules, id: number) =>
  boosts.filter(({ condition }) => condition.trim() !== '').findIndex((boost) => boost.id === id);
