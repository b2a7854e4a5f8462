import type { Split } from '../../data/split.ts';
import { evaluateScorer, measureColdItems } from '../../evaluation/evaluate-scorer.ts';
import { type Evaluation, type Metrics, summarise } from '../../evaluation/metrics.ts';
import { partUsers, type UserParts } from '../../evaluation/part-users.ts';
import type { Executor } from '../../kernels/parallel.ts';
import { sharedF32 } from '../../lib/arrays.ts';
import { estimate, mean } from '../../statistics/interval.ts';
import type { TestReport, TrainingData, TypeContribution } from '../../training.ts';
import { Fitter, type FitterMemory } from '../fit/fitter.ts';
import { findFactors, gainsOf, hasLowRank, storedFactorsOf } from '../fit/low-rank.ts';
import { makeScorer, type Scorer, withoutTargets } from '../fit/scorer.ts';
import { defaultMap, type MapParameters } from '../items/map.ts';
import { type MapSourceName, mapSources, usedSources } from '../items/sources.ts';
import { addMap, buildModel, type G1Model, type ModelParts } from '../model/model.ts';
import { G1Scorer } from '../model/score.ts';
import type { G1Parameters } from '../parameters.ts';
import { evaluate, evaluateScorers, evaluateVariants } from './evaluate.ts';
import { evaluateMap } from './evaluate-map.ts';
import { noVariant } from './match-factors.ts';
import { ask, type Questions } from './questions.ts';

export type LowRankParameters = Pick<G1Parameters, 'rank' | 'lowRankWeight'>;

/** `visitors`: the users with events of other types, with their target events hidden. */
export type Audience = 'everybody' | 'visitors';

export interface TriedCandidate {
  readonly step: string;
  readonly audience: Audience;
  readonly parameters: G1Parameters;
  readonly ndcg20: number;
  readonly recall20: number;
}

export const triedOf = (
  step: string,
  parameters: G1Parameters,
  { ndcg, recall }: Evaluation,
  audience: Audience = 'everybody',
): TriedCandidate => ({ step, audience, parameters, ndcg20: mean(ndcg), recall20: mean(recall) });

/** Of the sums of candidates that are evaluated in one pass, per thread. Each has two of 8 bytes for an item. */
const maxSumBytes = 2 ** 28;
const maxPerPass = 16;

/** Parameters with the same key ask the same questions. */
function questionsKey(parameters: G1Parameters): string {
  const { typeWeights, hints, visitorWeights, visitorHints, fade, dislike, attributeWeight } = parameters;
  const types = [typeWeights, hints, visitorWeights, visitorHints, fade, dislike];
  return JSON.stringify([types, attributeWeight]);
}

/**
 * Measures parameters by predicting a held-out part of the data from the rest. Validation users are for choosing and
 * can be used any number of times. Test users are for reporting the choice and must have no part in it: the best of
 * many candidates looks good by chance on the users it was chosen on.
 */
export class Validation {
  readonly fitter: Fitter;
  readonly users: UserParts;
  readonly #split: Split;
  readonly #executor: Executor;
  readonly #windowBytes: number;
  #model: { key: string; value: Promise<G1Model> } | undefined;
  #withoutFactors: { key: string; value: Promise<G1Model> } | undefined;
  readonly #asked = new Map<Audience, { key: string; questions: Questions }>();

  constructor(
    data: TrainingData,
    split: Split,
    seed: number,
    k: number,
    executor: Executor,
    memory: FitterMemory,
    /** Users to leave out of all parts. */
    excluded: Iterable<number> = [],
  ) {
    this.#split = split;
    this.fitter = new Fitter({ ...data, events: split.train }, k, executor, memory);
    this.users = partUsers(split, seed, excluded);
    this.#executor = executor;
    this.#windowBytes = memory.windowBytes;
  }

  /**
   * M alone, on the validation users, with their target events or as visitors. Evaluates the first of the candidates, and those after it
   * that need neither another fit nor other questions.
   */
  async look(candidates: readonly G1Parameters[], audience: Audience = 'everybody'): Promise<Evaluation[]> {
    const [first, ...others] = candidates;
    if (!first) return [];
    const scorers = [await this.#scorer(first)];
    const perPass = Math.min(maxPerPass, Math.floor(maxSumBytes / (16 * this.#split.train.items)));
    for (const other of others.slice(0, Math.max(0, perPass - 1))) {
      if (!this.fitter.isFitted(other) || questionsKey(other) !== questionsKey(first)) break;
      scorers.push(await this.#scorer(other));
    }
    return evaluateScorers(this.#questions(first, audience), scorers, this.#executor);
  }

  /** M alone, with the items that a user had before among the candidates. */
  async lookAgain(
    parameters: G1Parameters,
    users: readonly number[],
    relevantTo: (user: number) => Uint32Array,
  ): Promise<Evaluation> {
    const scorer = await this.#scorer(parameters);
    const historyOf = (user: number) => ({ ...this.fitter.historyOf(user, parameters), seen: [] });
    return evaluate(ask(users, historyOf, relevantTo), scorer, this.#executor);
  }

  /** With the map, and with several low-rank parts by ascending rank. */
  async lookLowRank(parameters: G1Parameters, lowRank: readonly LowRankParameters[]): Promise<Evaluation[]> {
    return this.#evaluateWhole(parameters, this.#questions(parameters, 'everybody'), lowRank);
  }

  /** The validation users that can be measured as visitors: they have events of types other than the target. */
  get visitors(): readonly number[] {
    return this.users.validation.filter((user) =>
      this.#hasEvents(user, (type) => type > 0 && !this.#isNegative(type)),
    );
  }

  #isNegative(type: number): boolean {
    return this.fitter.data.negativeTypes?.includes(type) ?? false;
  }

  /** Whether the user has an event of such a type that is not held out. */
  #hasEvents(user: number, isWanted: (type: number) => boolean): boolean {
    const { offsets, type } = this.#split.train;
    return type.subarray(offsets[user], offsets[user + 1]).some(isWanted);
  }

  /** On the test users. */
  async report(parameters: G1Parameters): Promise<TestReport> {
    await this.#fitLast(parameters);
    const questions = this.#ask(this.users.test, parameters);
    const [evaluation] = await this.#evaluateWhole(parameters, questions);
    return {
      test: this.#summarise(evaluation!),
      popularity: await this.#popularity(parameters, questions),
      coldUsers: await this.#coldUsers(parameters),
      coldItems: measureColdItems(this.#split, this.users.test, evaluation!),
    };
  }

  /** What the events of a type add for the test users, without fitting the regression again. */
  async contribution(parameters: G1Parameters, type: number, audience: Audience): Promise<TypeContribution> {
    const isVisitor = audience === 'visitors';
    const weights = isVisitor ? parameters.visitorWeights : parameters.typeWeights;
    const hints = isVisitor ? parameters.visitorHints : parameters.hints;
    const without: G1Parameters = {
      ...parameters,
      typeWeights: parameters.typeWeights.with(type, 0),
      hints: parameters.hints.with(type, 0),
      visitorWeights: parameters.visitorWeights.with(type, 0),
      visitorHints: parameters.visitorHints.with(type, 0),
      ...(this.#isNegative(type) && { dislike: 0 }),
    };
    const users = this.users.test.filter((user) => this.#hasEvents(user, (one) => one === type));
    const run = async (asked: G1Parameters) => {
      const questions = isVisitor ? this.#askVisitors(users, asked) : this.#ask(users, asked);
      const [evaluation] = await this.#evaluateWhole(parameters, questions);
      return estimate(evaluation!.ndcg);
    };
    return {
      weight: this.#isNegative(type) ? 0 - parameters.dislike : weights[type]!,
      hint: hints[type]!,
      users: users.length,
      ndcg20: await run(parameters),
      ndcg20Without: await run(without),
    };
  }

  /** A model with these parameters, fitted without any held-out event. */
  model(parameters: G1Parameters): Promise<G1Model> {
    const key = JSON.stringify(parameters);
    if (this.#model?.key !== key) this.#model = { key, value: this.#build(parameters) };
    return this.#model.value;
  }

  /** What a map can learn from besides the values of attributes. */
  get itemSources(): readonly MapSourceName[] {
    return mapSources.filter((source) => this.fitter.data.itemColumns?.[source] !== undefined);
  }

  /** Candidates for how much the map counts; none without item attributes to learn from. All learn from the same as the first. */
  async lookAtMaps(parameters: G1Parameters, maps: readonly MapParameters[]): Promise<Evaluation[]> {
    const model = await this.model({ ...parameters, map: { ...defaultMap, ...usedSources(maps[0]) } });
    if (!model.map) return [];
    const questions = this.#questions(parameters, 'everybody');
    return evaluateMap(questions, model, model.map, maps, this.#executor);
  }

  async #build(parameters: G1Parameters, plain = () => this.#plain(parameters)): Promise<G1Model> {
    const { taste, next } = await this.#fit(parameters);
    const scorerOf = () => makeScorer(taste, next, parameters);
    const lowRank = await storedFactorsOf(this.fitter, scorerOf, parameters);
    return { ...(await plain()), parameters, lowRank };
  }

  /** The model without its low-rank part. */
  #plain(parameters: G1Parameters): Promise<G1Model> {
    const plain = { ...parameters, rank: 0, lowRankWeight: 0 };
    const key = JSON.stringify(plain);
    if (this.#withoutFactors?.key !== key) this.#withoutFactors = { key, value: this.#buildPlain(plain) };
    return this.#withoutFactors.value;
  }

  async #buildPlain(parameters: G1Parameters): Promise<G1Model> {
    const { taste, next: transitions, pairs } = await this.#fit(parameters);
    return this.#store(parameters, { taste, transitions, pairs });
  }

  /** A model for users without events, who need no rows of items: those are most of a model. */
  async #buildForNewUsers(parameters: G1Parameters): Promise<G1Model> {
    if (parameters.map) return this.model(parameters);
    const { taste, pairs } = await this.#fit(parameters);
    const parts = { taste: withoutTargets(taste), transitions: undefined, pairs };
    return this.#build(parameters, () => this.#store(parameters, parts));
  }

  async #store(
    parameters: G1Parameters,
    parts: Pick<ModelParts, 'taste' | 'transitions' | 'pairs'>,
  ): Promise<G1Model> {
    const profile = await this.fitter.profile(parameters);
    const popularity = this.fitter.popularity(parts.taste.degree, parameters);
    const weights = this.fitter.weights(parameters);
    const all = { ...parts, profile, weights, popularity };
    const model = await buildModel(parameters, all, this.#executor, this.#windowBytes);
    return addMap(model, this.fitter.data, this.#executor);
  }

  /** Makes all fits with these parameters, and keeps nothing that only further fits need. */
  async #fitLast(parameters: G1Parameters): Promise<void> {
    await this.fitter.taste(parameters);
    await this.fitter.profile(parameters);
    if (hasLowRank(parameters)) await this.fitter.factors(parameters, parameters.rank);
    await this.fitter.forgetMatrix();
  }

  async #fit(parameters: G1Parameters) {
    const taste = await this.fitter.taste(parameters);
    const next = parameters.transitions > 0 ? await this.fitter.transitions() : undefined;
    const pairs = parameters.pairs > 0 ? await this.fitter.pairs() : undefined;
    return { taste, next, pairs };
  }

  /** With everything that serving uses, once per low-rank part. */
  async #evaluateWhole(
    parameters: G1Parameters,
    questions: Questions,
    lowRank: readonly LowRankParameters[] = [parameters],
  ): Promise<Evaluation[]> {
    const { map } = parameters;
    const model = map ? await this.#plain(parameters) : undefined;
    const { scorer, factors, variants } = await this.#variantsOf(parameters, lowRank);
    return map && model?.map
      ? evaluateMap(questions, model, model.map, [map], this.#executor, factors, variants)
      : evaluateVariants(questions, scorer, this.#executor, factors, variants);
  }

  async #scorer(parameters: G1Parameters): Promise<Scorer> {
    const { taste, next, pairs } = await this.#fit(parameters);
    const popularity = this.fitter.popularity(taste.degree, parameters);
    return makeScorer(taste, next, parameters, popularity, pairs);
  }

  /** Low-rank parts of these ranks and weights; `factors` is undefined if none has any. */
  async #variantsOf(parameters: G1Parameters, lowRank: readonly LowRankParameters[]) {
    const scorer = await this.#scorer(parameters);
    const ranks = [...new Set(lowRank.map(({ rank }) => rank))].sort((a, b) => a - b);
    const highest = ranks.at(-1) ?? 0;
    if (highest === 0) return { scorer, factors: undefined, variants: lowRank.map(() => noVariant) };
    const factors = await findFactors(this.fitter, parameters, highest);
    const gains = gainsOf(this.fitter, scorer, factors, parameters, ranks);
    const variants = lowRank.map(({ rank, lowRankWeight }) => ({
      rank,
      gain: lowRankWeight * gains[ranks.indexOf(rank)]!,
    }));
    return { scorer, factors, variants };
  }

  #summarise(evaluation: Evaluation): Metrics {
    return summarise(evaluation, this.#split.train.items);
  }

  async #popularity(parameters: G1Parameters, questions: Questions): Promise<Metrics> {
    const blank = makeScorer(withoutTargets(await this.fitter.taste(parameters)), undefined, parameters);
    const unhinted = { ...questions, hint: sharedF32(questions.hint.length) };
    return this.#summarise(await evaluate(unhinted, blank, this.#executor));
  }

  /** Users without events: recommendations by their attributes and overall popularity, compared to the most popular items. */
  async #coldUsers(parameters: G1Parameters): Promise<TestReport['coldUsers']> {
    const users = [...this.#split.coldUsers].filter((user) => this.#relevantTo(user).length > 0);
    if (users.length === 0) return undefined;
    const questions = this.#ask(users, parameters);
    const { userAttributes } = this.fitter.data;
    const scorer = new G1Scorer(await this.#buildForNewUsers(parameters));
    return {
      model: this.#summarise(evaluateScorer(scorer, this.#split, userAttributes, users)),
      popularity: await this.#popularity(parameters, questions),
    };
  }

  /** Kept while only parameters change that do not affect them. */
  #questions(parameters: G1Parameters, audience: Audience): Questions {
    const key = questionsKey(parameters);
    const known = this.#asked.get(audience);
    if (known?.key === key) return known.questions;
    const questions =
      audience === 'everybody'
        ? this.#ask(this.users.validation, parameters)
        : this.#askVisitors(this.visitors, parameters);
    this.#asked.set(audience, { key, questions });
    return questions;
  }

  #askVisitors(users: readonly number[], parameters: G1Parameters): Questions {
    return ask(
      users,
      (user) => this.fitter.visitorOf(user, parameters),
      (user) => this.#relevantTo(user),
    );
  }

  #ask(users: readonly number[], parameters: G1Parameters): Questions {
    return ask(
      users,
      (user) => this.fitter.historyOf(user, parameters),
      (user) => this.#relevantTo(user),
    );
  }

  #relevantTo(user: number): Uint32Array {
    const { relevant, relevantOffsets } = this.#split;
    return relevant.subarray(relevantOffsets[user], relevantOffsets[user + 1]);
  }
}
