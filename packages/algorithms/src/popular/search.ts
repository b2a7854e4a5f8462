import type { TrainingReport, TrainOptions } from '../algorithm.ts';
import { holdOutNewest } from '../data/split.ts';
import { evaluateScorer, measureColdItems } from '../evaluation/evaluate-scorer.ts';
import { summarise } from '../evaluation/metrics.ts';
import { partUsers } from '../evaluation/part-users.ts';
import { draw, seededRandom } from '../lib/random.ts';
import { mean, normalMargin } from '../statistics/interval.ts';
import type { ItemValues } from '../taste/item-values.ts';
import { choosePriorStrength, defaultPriorStrength } from '../taste/prior-strength.ts';
import type { TrainingData } from '../training.ts';
import { chooseHalfLife, fewestUsers, never } from './decay.ts';
import { groupBy } from './groups.ts';
import { fitPopular, type PopularModel } from './model.ts';
import { PopularScorer } from './scorer.ts';
import { predictorOf } from './shares.ts';

export interface Choice {
  readonly half_life_days: number;
  readonly by_attribute: string;
}

/** The value of `by_attribute` that means overall popularity. */
const noAttribute = 'none';
/** Used if there are too few users to choose on. */
const defaultHalfLife = 30;
const maxColdUsers = 1000;
const seed = 1;

export interface SearchInput extends Pick<TrainOptions<Partial<Choice>>, 'parameters' | 'names'> {
  readonly data: TrainingData;
  readonly values: ItemValues | undefined;
  readonly onProgress: (fraction: number, message: string) => void;
}

/** Chooses the missing parameters on the validation users, and measures the choice once on the test users. */
export function search({ data, parameters, names, values, onProgress }: SearchInput): {
  readonly choice: Choice;
  readonly report: TrainingReport;
  readonly priorStrength: number;
} {
  onProgress(0, 'held-out events');
  const { split, heldOut } = holdOutNewest(data.events, seed);
  const users = partUsers(split, seed);
  const known = { ...data, events: split.train };
  const fit = ({ half_life_days, by_attribute }: Choice) =>
    fitPopular(known, half_life_days, groupBy(by_attribute, names.userCodes, data.userAttributes));
  const evaluate = (model: PopularModel, of: readonly number[]) =>
    evaluateScorer(new PopularScorer(model), split, data.userAttributes, of);

  let choice: Choice = {
    half_life_days: parameters.half_life_days ?? (heldOut === 'latest' ? defaultHalfLife : never),
    by_attribute: noAttribute,
  };
  const canChoose = users.validation.length >= fewestUsers;
  if (parameters.half_life_days === undefined && heldOut === 'latest' && canChoose) {
    const half_life_days = chooseHalfLife((days, fraction) => {
      onProgress(0.7 * fraction, `half-life of ${days} days`);
      return evaluate(fit({ ...choice, half_life_days: days }), users.validation).ndcg;
    });
    choice = { ...choice, half_life_days };
  }
  const attributes =
    parameters.by_attribute === undefined
      ? names.userCodes.map(({ name }) => name).filter(() => canChoose)
      : [parameters.by_attribute];
  let gain = 0;
  const plain = choice;
  const before = evaluate(fit(plain), users.validation);
  for (const [place, by_attribute] of attributes.entries()) {
    onProgress(0.7 + (0.2 * place) / attributes.length, `popularity by ${by_attribute}`);
    const candidate = { ...plain, by_attribute };
    if (parameters.by_attribute !== undefined) {
      const isKnown = groupBy(by_attribute, names.userCodes, data.userAttributes) !== undefined;
      choice = isKnown ? candidate : plain;
      continue;
    }
    const { ndcg } = evaluate(fit(candidate), users.validation);
    const difference = ndcg.map((value, index) => value - before.ndcg[index]!);
    // Kept only if the improvement exceeds chance.
    if (mean(difference) <= Math.max(gain, normalMargin(difference))) continue;
    gain = mean(difference);
    choice = candidate;
  }

  onProgress(0.9, 'test users');
  const chosen = fit(choice);
  const baseline = fit({ half_life_days: never, by_attribute: noAttribute });
  const compare = (of: readonly number[]) => ({
    model: evaluate(chosen, of),
    popularity: evaluate(baseline, of),
  });
  const tested = compare(users.test);
  const cold = coldUsersOf(split);
  const coldTested = compare(cold);
  const { items } = data.events;
  return {
    choice,
    report: {
      test: summarise(tested.model, items),
      popularity: summarise(tested.popularity, items),
      coldUsers:
        cold.length > 0
          ? { model: summarise(coldTested.model, items), popularity: summarise(coldTested.popularity, items) }
          : undefined,
      coldItems: measureColdItems(split, users.test, tested.model),
      heldOut,
      validationUsers: users.validation.length,
    },
    priorStrength: values
      ? choosePriorStrength({ ...data, split, users: users.validation, values }, predictorOf(chosen))
      : defaultPriorStrength,
  };
}

type Split = ReturnType<typeof holdOutNewest>['split'];

function coldUsersOf({ coldUsers, relevantOffsets }: Split): readonly number[] {
  const able = [...coldUsers].filter((user) => relevantOffsets[user + 1]! > relevantOffsets[user]!);
  return draw(able, Math.min(able.length, maxColdUsers), seededRandom(seed)).sort((a, b) => a - b);
}
