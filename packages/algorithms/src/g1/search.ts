import type { Executor } from '../parallel.ts';
import { seededRandom } from '../random.ts';
import { type HoldOut, holdOut } from '../split.ts';
import { ask, type Evaluation, evaluate, type Questions } from './evaluate.ts';
import { Fitter, signalsOf, type TrainingData } from './fitter.ts';
import { defaults, type G1Parameters, plan } from './parameters.ts';
import { makeScorer } from './scorer.ts';

export interface SearchOptions {
  /** What is fixed beforehand; the rest is searched. */
  readonly given?: Partial<G1Parameters>;
  /** `tail` where events have an order, else `random`. */
  readonly holdOut?: HoldOut;
  readonly seed?: number;
  /** The budget: after so many regressions the search goes on only with what needs none. */
  readonly maxFits?: number;
  readonly onProgress?: (stage: string, fraction: number) => void;
}

/** A mean over users, and how far it may be off (95 %, normal). */
export interface Estimate {
  readonly mean: number;
  readonly margin: number;
}

export interface Metrics {
  readonly users: number;
  readonly recall20: Estimate;
  readonly ndcg20: Estimate;
  /** The share of all items that were recommended to somebody. */
  readonly coverage: number;
}

export interface SearchResult {
  readonly parameters: G1Parameters;
  readonly holdOut: HoldOut;
  readonly validation: Metrics;
  /** What recommending the most popular items to everybody reaches on the same users. */
  readonly popularity: Metrics;
  readonly fits: number;
  readonly tried: readonly { step: string; parameters: G1Parameters; ndcg20: number; recall20: number }[];
}

/** Enough that a difference of one percent is seen, few enough that a look costs less than a fit. */
const questionedUsers = 4000;
const listLength = 20;
/** Half of the usual K: the ranking of settings is the same, at half the cost. */
const searchK = 100;
/** 95 % of a normal distribution lie within so many standard errors. */
const normal95 = 1.96;
/** Six of the grid, two beyond its edge, and what types and attributes add. */
const defaultMaxFits = 24;

/** Chooses what was not given, by predicting a held-out part of the data from the rest. Same data, same choice. */
export async function search(
  data: TrainingData,
  executor: Executor,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const { given = {}, seed = 1, maxFits = defaultMaxFits, onProgress } = options;
  const how = options.holdOut ?? (data.events.ordered ? 'tail' : 'random');
  const signals = signalsOf(data);
  const split = holdOut(data.events, how, seed);
  const start = { ...defaults(signals), ...given };
  const fitter = new Fitter({ ...data, events: split.train }, Math.min(start.k, searchK), executor);
  const users = questioned(split.train.users, split.wantedOffsets, seed);
  const wantedOf = (user: number) =>
    split.wanted.subarray(split.wantedOffsets[user], split.wantedOffsets[user + 1]);

  let asked: { key: string; questions: Questions } | undefined;
  const look = async (parameters: G1Parameters): Promise<Evaluation> => {
    const key = JSON.stringify([parameters.typeWeights, parameters.attributeWeight]);
    if (asked?.key !== key)
      asked = { key, questions: ask(users, (user) => fitter.historyOf(user, parameters), wantedOf) };
    const taste = await fitter.taste(parameters);
    const next = parameters.transitions > 0 ? await fitter.transitions() : undefined;
    return evaluate(asked.questions, makeScorer(taste, next, parameters), listLength, executor);
  };

  const tried: { step: string; parameters: G1Parameters; ndcg20: number; recall20: number }[] = [];
  const steps = plan(signals, given);
  // The regression is tuned on taste alone: it is what it fits.
  let best = { ...start, transitions: given.transitions ?? 0 };
  let bestEvaluation: Evaluation | undefined;
  for (const [index, step] of steps.entries()) {
    const candidates = step.candidates(best);
    const seen: Tried[] = bestEvaluation ? [{ parameters: best, evaluation: bestEvaluation }] : [];
    for (const [place, parameters] of candidates.entries()) {
      onProgress?.(step.name, (index + place / candidates.length) / steps.length);
      if (fitter.fits >= maxFits && needsFit(parameters, best)) continue;
      const evaluation = await look(parameters);
      seen.push({ parameters, evaluation });
      const ndcg20 = mean(evaluation.ndcg);
      tried.push({ step: step.name, parameters, ndcg20, recall20: mean(evaluation.recall) });
    }
    const picked = pick(seen, step.prefer);
    if (picked) ({ parameters: best, evaluation: bestEvaluation } = picked);
  }
  bestEvaluation ??= await look(best);
  const blank = { ...makeScorer(await fitter.taste(best), undefined, best), tasteScale: 0, hintScale: 0 };
  const popular = await evaluate(asked!.questions, blank, listLength, executor);
  onProgress?.('chosen', 1);
  return {
    ...{ parameters: best, holdOut: how, fits: fitter.fits, tried },
    validation: summarise(bestEvaluation, signals.items),
    popularity: summarise(popular, signals.items),
  };
}

interface Tried {
  readonly parameters: G1Parameters;
  readonly evaluation: Evaluation;
}

/**
 * The best by NDCG; or, where the step has a preference, what it prefers among those within one standard error of the
 * best, the difference taken user by user (the one-standard-error rule of Breiman et al. 1984).
 */
function pick(
  seen: readonly Tried[],
  prefer: ((parameters: G1Parameters) => number) | undefined,
): Tried | undefined {
  const ranked = seen.toSorted((one, other) => mean(other.evaluation.ndcg) - mean(one.evaluation.ndcg));
  const [best] = ranked;
  if (!best || !prefer) return best;
  const close = ranked.filter(({ evaluation }) => {
    const loss = best.evaluation.ndcg.map((value, index) => value - evaluation.ndcg[index]!);
    return mean(loss) <= estimate(loss).margin / normal95;
  });
  return close.toSorted((one, other) => prefer(one.parameters) - prefer(other.parameters))[0];
}

function needsFit(parameters: G1Parameters, best: G1Parameters): boolean {
  const key = ({ typeWeights, attributeWeight, gamma, beta, c, lambda }: G1Parameters) =>
    JSON.stringify([typeWeights, attributeWeight > 0, gamma, beta, c, lambda]);
  return key(parameters) !== key(best);
}

/** Users with something to predict, all or a seeded draw of them, in order. */
function questioned(users: number, wantedOffsets: Uint32Array, seed: number): number[] {
  const able: number[] = [];
  for (let user = 0; user < users; user++)
    if (wantedOffsets[user + 1]! > wantedOffsets[user]!) able.push(user);
  const random = seededRandom(seed);
  const count = Math.min(questionedUsers, able.length);
  for (let index = 0; index < count; index++) {
    const other = index + Math.floor(random() * (able.length - index));
    [able[index], able[other]] = [able[other]!, able[index]!];
  }
  return able.slice(0, count).sort((a, b) => a - b);
}

function summarise({ list, recall, ndcg }: Evaluation, items: number): Metrics {
  return {
    users: recall.length,
    recall20: estimate(recall),
    ndcg20: estimate(ndcg),
    coverage: items > 0 ? new Set(list).size / items : 0,
  };
}

function mean(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length > 0 ? sum / values.length : 0;
}

function estimate(values: Float32Array): Estimate {
  const middle = mean(values);
  let squares = 0;
  for (const value of values) squares += (value - middle) ** 2;
  const deviation = Math.sqrt(squares / Math.max(1, values.length - 1));
  return { mean: middle, margin: (normal95 * deviation) / Math.sqrt(Math.max(1, values.length)) };
}
