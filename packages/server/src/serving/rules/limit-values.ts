import { type ApiError, invalidField } from '../../http/api-error.ts';
import type { CallBudget } from '../call-budget.ts';
import type { Placement } from '../placement.ts';
import type { DiversityRules, Marks } from './rules.ts';

/** How much similarity counts at each level. docs/guide/rules.md has what each costs. */
const weights = { NONE: undefined, LOW: 0.2, MEDIUM: 0.4, HIGH: 0.6 } as const;

/** Throws an ApiError if `attribute` or `max_per_value` is given without the other. */
export function diversityOf(request: Placement['diversity']): DiversityRules {
  const { level = 'NONE', attribute, max_per_value } = request ?? {};
  if (attribute === undefined && max_per_value !== undefined) throw missing('attribute', 'max_per_value');
  if (attribute !== undefined && max_per_value === undefined) throw missing('max_per_value', 'attribute');
  const cap =
    attribute === undefined || max_per_value === undefined
      ? undefined
      : { attribute, maxPerValue: max_per_value };
  return { weight: weights[level], cap };
}

function missing(field: string, other: string): ApiError {
  return invalidField(`diversity.${field}`, `is required with ${other}`);
}

/** The distinct values of an attribute; of a list, its elements. */
export function valuesOf(
  attributes: Readonly<Record<string, unknown>>,
  name: string,
  budget: CallBudget,
): readonly unknown[] {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  const values = [...new Set<unknown>(Array.isArray(value) ? value : [value])];
  budget.spend(values.length);
  return values.filter((one) => one !== undefined && one !== null);
}

/** Counts the values of the items on a page. */
export class ValueLimit {
  readonly #maxPerValue: number;
  readonly #counts = new Map<unknown, number>();

  constructor(maxPerValue: number) {
    this.#maxPerValue = maxPerValue;
  }

  /** Whether a further item with these values is allowed. Once it is not, it stays so. */
  allows(marks: Marks | undefined): boolean {
    return marks?.values.every((value) => (this.#counts.get(value) ?? 0) < this.#maxPerValue) ?? true;
  }

  add(marks: Marks | undefined): void {
    for (const value of marks?.values ?? []) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }
}
