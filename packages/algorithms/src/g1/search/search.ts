import { type SampleSize, sampleUsers } from '../../data/sample-users.ts';
import { type HoldOut, hideItems, holdOut } from '../../data/split.ts';
import type { Evaluation } from '../../evaluation/metrics.ts';
import type { Executor } from '../../kernels/parallel.ts';
import type { ItemValues } from '../../taste/item-values.ts';
import { choosePriorStrength, defaultPriorStrength } from '../../taste/prior-strength.ts';
import type { TestReport, TrainingData, TypeWorth } from '../../training.ts';
import { fallbackHalfLife } from '../fit/fallback.ts';
import { type FitterMemory, fitKey, fitterMemory, signalsOf } from '../fit/fitter.ts';
import { predictorOf } from '../model/shares.ts';
import { defaults, type G1Parameters, type Given, type Signals, type Step } from '../parameters.ts';
import { chooseLowRank } from './choose-low-rank.ts';
import { chooseMap } from './choose-map.ts';
import { chooseRepeat } from './choose-repeat.ts';
import { pickBest } from './pick.ts';
import { searchSteps, typeStep } from './search-steps.ts';
import { fadeSteps, visitorSteps } from './type-steps.ts';
import { type Audience, type TriedCandidate, triedOf, Validation } from './validation.ts';

export interface SearchOptions {
  /** Fixed parameters; the others are searched for. */
  readonly given?: Partial<G1Parameters>;
  /** `tail` if events have an order, else `random`. */
  readonly holdOut?: HoldOut;
  readonly seed?: number;
  /** The values in the items' records, on which the prior strength of affinities is chosen. */
  readonly values?: ItemValues;
  /** The budget: after this many regressions, the search tries only candidates that need none. */
  readonly maxFits?: number;
  /** When and how far the search is limited to a sample of users. */
  readonly sample?: SampleSize;
  readonly onProgress?: (stage: string, fraction: number) => void;
  /** How much of a fit is in kernel memory at a time, beside the matrix. */
  readonly windowBytes?: number | undefined;
  /** Reused by the fit that follows. */
  readonly memory?: FitterMemory;
}

/** The parameters chosen on the validation users, and what they reach on the test users. */
export interface SearchResult extends TestReport {
  readonly parameters: G1Parameters;
  readonly otherTypes: readonly TypeWorth[];
  /** The prior strength of affinities (k), also chosen on the validation users. */
  readonly priorStrength: number;
  readonly holdOut: HoldOut;
  /** How many users the parameters were chosen on; `test.users` is how many they were tested on. */
  readonly validationUsers: number;
  /** How many users were sampled to choose the parameters on; undefined if all. Test users are not among them. */
  readonly sampledUsers: number | undefined;
  readonly fits: number;
  /** Every candidate, with what it reached on the validation users. */
  readonly tried: readonly TriedCandidate[];
}

/** Half of the usual K: the ranking of settings is the same, at half the cost. */
const searchK = 100;
/** On samples of a half and a quarter of the events, the choice is the same or as good (docs/decisions/g1-search.md). */
export const searchSample: SampleSize = { above: 10_000_000, events: 4_000_000 };
/** Whether users come back to items, item attributes and the low-rank part, after all others. */
const lastSteps = 3;
/** Four to six for the regression, plus those for event types and attributes. */
const defaultMaxFits = 24;

/**
 * Chooses the missing parameters by how well they predict a held-out part of the data from the rest. Measures the
 * choice on users who had no part in it. The same data gives the same choice. Large data is sampled first.
 */
export async function search(
  all: TrainingData,
  executor: Executor,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const { seed = 1, memory = fitterMemory(options.windowBytes) } = options;
  const how = options.holdOut ?? (all.events.ordered ? 'tail' : 'random');
  const chosen = await choose(all, executor, { ...options, holdOut: how, seed, memory });
  const { parameters, sampled, tried } = chosen;
  // What the sample was fitted to is no longer needed, and would take memory beside the next fit.
  await executor.release?.();
  // A model of the sample would be worse than the one that is served. Users of the sample had a part in the choice.
  const reporting =
    chosen.validation ??
    new Validation(all, holdOut(all.events, how, seed), seed, chosen.k, executor, memory, sampled);
  const report = await reporting.report(parameters);
  const otherTypes = await worthOfTypes(reporting, parameters, tried);
  options.onProgress?.('chosen', 1);
  return {
    ...report,
    parameters,
    otherTypes,
    priorStrength: chosen.priorStrength,
    holdOut: how,
    validationUsers: chosen.validationUsers,
    sampledUsers: sampled?.length,
    fits: chosen.validation?.fitter.fits ?? chosen.fits,
    tried,
  };
}

interface Choice
  extends Pick<SearchResult, 'parameters' | 'priorStrength' | 'validationUsers' | 'fits' | 'tried'> {
  /** Targets per source while searching. */
  readonly k: number;
  /** The users of the sample; undefined if all. */
  readonly sampled: Uint32Array | undefined;
  /** Of all data; undefined if a sample was chosen on. */
  readonly validation: Validation | undefined;
}

async function choose(
  all: TrainingData,
  executor: Executor,
  options: SearchOptions & Required<Pick<SearchOptions, 'holdOut' | 'seed' | 'memory'>>,
): Promise<Choice> {
  const { values, maxFits = defaultMaxFits, onProgress, holdOut: how, seed, memory } = options;
  const { data, users: sampled } = sampleUsers(all, options.sample ?? searchSample, seed);
  const signals = signalsOf(all);
  const given = withoutNegative(options.given ?? {}, signals);
  const split = holdOut(data.events, how, seed);
  const start = {
    ...defaults(signals),
    // Not on held-out events, so that the users that are reported on have no influence.
    halfLifeDays: fallbackHalfLife(split.train, seed),
    ...given,
    ...(given.typeWeights && { visitorWeights: given.typeWeights }),
  };
  const k = Math.min(start.k, searchK);
  const validation = new Validation(data, split, seed, k, executor, memory);
  const { fitter, users } = validation;

  const tried: TriedCandidate[] = [];
  // Without validation users, the defaults stay.
  const stages = users.validation.length > 0 ? stagesOf(signals, given, validation.visitors.length) : [];
  const steps = stages.reduce((sum, stage) => sum + stage.steps.length, 0);
  let done = 0;
  // The regression is tuned without transitions, because it fits only taste.
  let best = steps > 0 ? { ...start, transitions: given.transitions ?? 0 } : start;
  for (const { audience, steps: ofStage } of stages) {
    let bestEvaluation: Evaluation | undefined;
    let seen: Tried[] = [];
    for (const [index, step] of ofStage.entries()) {
      const candidates = step.candidates(best);
      // A step with another preference does not reconsider the candidates of earlier steps.
      if (bestEvaluation && step.prefer !== ofStage[index - 1]?.prefer)
        seen = [{ parameters: best, evaluation: bestEvaluation }];
      const needsFit = (one: G1Parameters) => fitKey(one) !== fitKey(best) && !fitter.isFitted(one);
      // The best so far is likely to be needed again, and shares the work.
      fitter.expect([...candidates, best, ...(step.likelyNext?.(best) ?? [])]);
      for (let left = candidates; left.length > 0; ) {
        onProgress?.(step.name, (done + 1 - left.length / candidates.length) / (steps + lastSteps));
        if (fitter.fits >= maxFits && needsFit(left[0]!)) {
          left = left.slice(1);
          continue;
        }
        const evaluations = await validation.look(left, audience);
        for (const [place, evaluation] of evaluations.entries()) {
          const parameters = left[place]!;
          seen.push({ parameters, evaluation });
          tried.push(triedOf(step.name, parameters, evaluation, audience));
        }
        left = left.slice(evaluations.length);
      }
      const { prefer, tolerance } = step;
      const picked = pickBest(seen, {
        prefer: prefer && (({ parameters }) => prefer(parameters)),
        tolerance,
      });
      if (picked) ({ parameters: best, evaluation: bestEvaluation } = picked);
      done++;
    }
  }
  if (steps > 0 && given.repeat === undefined) {
    onProgress?.('repeat', steps / (steps + lastSteps));
    const chosen = await chooseRepeat(validation, data.events, split, best);
    tried.push(...chosen.tried);
    best = { ...best, repeat: chosen.repeat };
  }
  if (steps > 0 && start.map) {
    onProgress?.('item attributes', (steps + 1) / (steps + lastSteps));
    const hidden = hideItems(data.events, split, seed);
    const map = await chooseMap(
      new Validation(data, hidden, seed, k, executor, memory),
      best,
      given.map?.fresh,
    );
    best = { ...best, map };
  }
  // The last step, for which one decomposition serves all candidates.
  if (users.validation.length > 0) {
    onProgress?.('low-rank part', (steps + 2) / (steps + lastSteps));
    const chosen = await chooseLowRank(validation, best, sampled && all.events);
    tried.push(...chosen.tried);
    best = { ...best, ...chosen.lowRank };
  }
  const priorStrength = values
    ? choosePriorStrength(
        { ...data, split, users: users.validation, values },
        predictorOf(await validation.model(best)),
      )
    : defaultPriorStrength;
  return {
    parameters: best,
    k,
    priorStrength,
    validationUsers: users.validation.length,
    fits: fitter.fits,
    tried,
    sampled,
    validation: sampled ? undefined : validation,
  };
}

/** With fewer visitors to choose on, the defaults for them stay. */
const fewestVisitors = 20;

/** Steps whose candidates are compared on the same users. */
interface Stage {
  readonly audience: Audience;
  readonly steps: readonly Step[];
}

function stagesOf(signals: Signals, given: Given, visitors: number): Stage[] {
  const stages: Stage[] = [{ audience: 'everybody', steps: searchSteps(signals, given) }];
  if (visitors >= fewestVisitors)
    stages.push(
      { audience: 'visitors', steps: visitorSteps(signals, given) },
      { audience: 'everybody', steps: fadeSteps(signals) },
    );
  return stages;
}

/** Weights that a developer set apply only in favor of items, so they do not apply to negative types. */
function withoutNegative(given: Given, { negativeTypes = [] }: Signals): Given {
  const { typeWeights } = given;
  if (!typeWeights) return given;
  return { ...given, typeWeights: typeWeights.map((one, type) => (negativeTypes.includes(type) ? 0 : one)) };
}

async function worthOfTypes(
  validation: Validation,
  chosen: G1Parameters,
  tried: readonly TriedCandidate[],
): Promise<TypeWorth[]> {
  const worths: TypeWorth[] = [];
  for (let type = 1; type < chosen.typeWeights.length; type++)
    worths.push({
      type,
      visitors: await validation.contribution(chosen, type, 'visitors'),
      active: await validation.contribution(chosen, type, 'everybody'),
      tried: tried
        .filter(({ step }) => step === typeStep(type))
        .map(({ parameters, ndcg20 }) => ({ weight: parameters.typeWeights[type]!, ndcg20 })),
    });
  return worths;
}

interface Tried {
  readonly parameters: G1Parameters;
  readonly evaluation: Evaluation;
}
