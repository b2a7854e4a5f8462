import type { Boost } from '@tastegraph/algorithms';
import { CallBudget } from '../call-budget.ts';
import type { MirrorView } from '../catalogue/item-mirror.ts';
import type { LoadedModel } from '../models/loaded-model.ts';
import { maxFactorOf } from './boost.ts';
import type { Rules } from './rules.ts';

/**
 * Steps of conditions per call while the model orders its items, which cannot be interrupted: 2 ms, and at most 10. A usual
 * condition takes ten steps, and a few hundred items are evaluated.
 */
const maxSteps = 200_000;

export interface MirroredBoost extends Boost {
  /** Whether the conditions took too many steps: the order is then not exact. */
  readonly isExhausted: () => boolean;
}

/**
 * Factors from a mirror, so that the model itself puts all its items in the order of their boosted scores. Undefined if there are
 * no boosts.
 */
export function mirroredBoost(
  mirror: MirrorView,
  model: LoadedModel,
  { boosts, factorOf }: Rules,
  budget: CallBudget,
): MirroredBoost | undefined {
  if (boosts.length === 0) return undefined;
  const own = new CallBudget(budget.tenant, budget.leftMs, { steps: maxSteps, parent: budget });
  return {
    maxFactor: maxFactorOf(boosts),
    isExhausted: () => !own.hasSteps,
    factorOf: (item) => {
      const attributes = own.hasSteps ? mirror.attributesOf(item) : undefined;
      const id = model.itemIds[item] ?? mirror.late.ids[item - model.itemIds.length] ?? '';
      return attributes ? factorOf(attributes, id, own) : 1;
    },
  };
}
