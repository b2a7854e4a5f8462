import { eventScale } from '../../data/event-weight.ts';
import { rowOf } from '../../data/incidence.ts';
import { filterEvents, type Interactions } from '../../data/interactions.ts';
import { KernelMemory } from '../../kernels/kernel-memory.ts';
import type { Executor } from '../../kernels/parallel.ts';
import { sharedF32 } from '../../lib/arrays.ts';
import { type Factors, factorise } from '../../low-rank/factors.ts';
import { decayOf, never, popularityOf } from '../../popular/decay.ts';
import type { TrainingData } from '../../training.ts';
import { type EventWeights, eventWeights } from '../data/event-weights.ts';
import { type History, readHistory } from '../data/history.ts';
import { buildMatrix, columnsOf, type MatrixColumns } from '../data/matrix.ts';
import { defaultWindowBytes, type WindowOptions } from '../data/windows.ts';
import { type G1Parameters, profileFit, type Signals } from '../parameters.ts';
import { fallbackPopularity } from './fallback.ts';
import { findPairs, type Pairs } from './find-pairs.ts';
import { fit, maxLanes } from './regression.ts';
import type { Taste } from './scorer.ts';
import { rarestFirst, type Sources, sourcesOf } from './sources.ts';
import { emptySupport, findSupport, type Support } from './support.ts';
import { findTransitions, type Transitions } from './transitions.ts';

export function signalsOf({ events, negativeTypes, userAttributes, itemAttributes }: TrainingData): Signals {
  let types = 1;
  for (const type of events.type) if (type >= types) types = type + 1;
  return {
    items: events.items,
    types,
    ...(negativeTypes && { negativeTypes }),
    ordered: events.ordered,
    userAttributes: (userAttributes?.columns ?? 0) > 0,
    itemAttributes: (itemAttributes?.columns ?? 0) > 0,
  };
}

interface Prepared {
  readonly matrix: MatrixColumns;
  readonly support: Support;
  readonly sources: Sources;
}

const matrixKey = ({ typeWeights, outcome, attributeWeight }: G1Parameters) =>
  JSON.stringify([typeWeights, outcome, attributeWeight > 0]);

/** A release takes .1 to .3 seconds on a busy machine, so smaller matrices are released together. */
const maxUnreleasedBytes = 2 ** 24;

/** What fits that are made at once have in common. */
const columnsKey = (parameters: G1Parameters) => JSON.stringify([matrixKey(parameters), parameters.beta]);

/** Parameters with the same key have the same fit. */
export const fitKey = (parameters: G1Parameters) =>
  JSON.stringify([columnsKey(parameters), parameters.c, parameters.lambda]);

async function tasteOf(fitted: Promise<readonly Taste[]>, lane: number): Promise<Taste> {
  return (await fitted)[lane]!;
}

/** Reused because shared memory is rarely released (see KernelMemory), also by the next fitter. */
export interface FitterMemory {
  readonly fits: KernelMemory;
  /** Apart from that of fits, because factors stay in it. */
  readonly factors: KernelMemory;
  /** How much of a fit is in kernel memory at a time, beside the matrix. The result does not depend on it. */
  readonly windowBytes: number;
}

export const fitterMemory = (windowBytes = defaultWindowBytes): FitterMemory => ({
  fits: new KernelMemory(),
  factors: new KernelMemory(),
  windowBytes,
});

/**
 * Fits one data set and keeps what the next fit can reuse: the matrix and its support do not depend on the regression's
 * parameters. Only the latest of each is kept, since a search varies the cheap parameters first.
 */
export class Fitter {
  readonly data: TrainingData;
  /** The events to learn from: all but the negative ones. */
  readonly #positive: Interactions;
  readonly #k: number;
  readonly #executor: Executor;
  readonly #memory: FitterMemory;
  readonly #windows: WindowOptions;
  #support: Support | undefined;
  /** Of the latest fits. */
  readonly #weights: Float32Array<SharedArrayBuffer>[] = [];
  #prepared: { key: string; value: Promise<Prepared> } | undefined;
  #tastes = new Map<string, Promise<Taste>>();
  #upcoming: readonly G1Parameters[] = [];
  #transitions: Promise<Transitions> | undefined;
  #pairs: Promise<Pairs> | undefined;
  #profile: { key: string; value: Promise<Taste> } | undefined;
  #factors: { key: string; rank: number; value: Promise<Factors> } | undefined;
  #unit: number[] | undefined;
  #recent: { halfLifeDays: number; popularity: Float64Array } | undefined;
  #fallback: { degree: Float64Array; halfLifeDays: number; popularity: Float64Array } | undefined;
  /** Of rows of matrices, since the last release. */
  #unreleasedBytes = 0;
  /** Regressions run so far; those made at once count as one. */
  fits = 0;

  constructor(data: TrainingData, k: number, executor: Executor, memory = fitterMemory()) {
    this.#memory = memory;
    this.#windows = { memory: memory.fits, windowBytes: memory.windowBytes };
    this.data = data;
    const { events, negativeTypes = [] } = data;
    this.#positive =
      negativeTypes.length > 0
        ? filterEvents(events, (event) => !negativeTypes.includes(events.type[event]!))
        : events;
    this.#k = k;
    this.#executor = executor;
  }

  prepare(parameters: G1Parameters): Promise<Prepared> {
    const key = matrixKey(parameters);
    if (this.#prepared?.key !== key) this.#prepared = { key, value: this.#prepare(parameters) };
    return this.#prepared.value;
  }

  async #prepare(parameters: G1Parameters): Promise<Prepared> {
    // It has the support that is overwritten now.
    this.#profile = undefined;
    this.#fallback = undefined;
    const { matrix, support } = await this.#findSupport(parameters);
    // Only the support reads rows. Without a release they may stay in memory throughout the fit.
    this.#unreleasedBytes += 8 * this.#positive.item.length;
    if (this.#unreleasedBytes > maxUnreleasedBytes) await this.#release();
    // The token that every user has comes last. No score of a user with items reads it, but it absorbs how popular a
    // target is overall, so that the items need not explain it (ml-1m, validation: .2686, without it .2679; otherwise
    // equal).
    const everybody = matrix.tokens - 1;
    const order = rarestFirst(matrix.degree).filter(
      (token) => token < matrix.items || token === everybody || parameters.attributeWeight > 0,
    );
    const sources = await sourcesOf(support, matrix.items, order, this.#executor);
    return { matrix, support, sources };
  }

  async #findSupport(parameters: G1Parameters) {
    const { userAttributes } = this.data;
    const matrix = await buildMatrix(this.#positive, { ...parameters, userAttributes }, this.#executor);
    this.#support ??= emptySupport(matrix.tokens, this.#k);
    await findSupport(matrix, this.#support, this.#executor, this.#windows);
    return { matrix: columnsOf(matrix), support: this.#support };
  }

  async #release(): Promise<void> {
    this.#unreleasedBytes = 0;
    await this.#executor.release?.();
  }

  /** Releases what only further fits need; the results of earlier ones stay valid. */
  async forgetMatrix(): Promise<void> {
    this.#prepared = undefined;
    this.#memory.fits.replace();
    await this.#release();
  }

  /** Announces what `taste` will be asked for, so that it can make several fits at once. */
  expect(upcoming: readonly G1Parameters[]): void {
    this.#upcoming = upcoming;
  }

  /** Whether `taste` needs no further fit for these. */
  isFitted(parameters: G1Parameters): boolean {
    return this.#tastes.has(fitKey(parameters));
  }

  /** The result is valid until the next call for parameters that are not fitted yet. */
  taste(parameters: G1Parameters): Promise<Taste> {
    const key = fitKey(parameters);
    const known = this.#tastes.get(key);
    if (known) return known;
    const together = new Map([[key, parameters]]);
    for (const other of this.#upcoming)
      if (together.size < maxLanes && columnsKey(other) === columnsKey(parameters))
        together.set(fitKey(other), other);
    const fitted = this.#fit([...together.values()]);
    this.#tastes = new Map([...together.keys()].map((each, lane) => [each, tasteOf(fitted, lane)]));
    return this.#tastes.get(key)!;
  }

  /** Fits that differ in their penalties only. */
  async #fit(together: readonly G1Parameters[]): Promise<Taste[]> {
    const { matrix, support, sources } = await this.prepare(together[0]!);
    this.fits++;
    const weights = together.map((_, lane) => this.#emptyWeights(lane, support));
    await fit(matrix, sources, together, weights, this.#executor, this.#windows);
    return weights.map((weight) => ({ support, weight, degree: matrix.degree, items: matrix.items }));
  }

  #emptyWeights(lane: number, support: Support): Float32Array<SharedArrayBuffer> {
    const known = this.#weights[lane];
    if (known) return known.fill(0, 0, support.offsets[support.tokens]);
    return (this.#weights[lane] = sharedF32(support.target.length));
  }

  /**
   * For users with attributes but no events: the same regression on attribute values and the token that every user has.
   * In the regression with items, an attribute's weight covers only what the items leave unexplained, which is too
   * little here. Common tokens come first, so that each value explains how its users differ from everyone.
   */
  profile(parameters: G1Parameters): Promise<Taste> {
    const key = matrixKey(parameters);
    if (this.#profile?.key !== key) this.#profile = { key, value: this.#fitProfile(parameters) };
    return this.#profile.value;
  }

  async #fitProfile(parameters: G1Parameters): Promise<Taste> {
    const { matrix, support } = await this.prepare(parameters);
    const common = rarestFirst(matrix.degree)
      .filter((token) => token >= matrix.items)
      .reverse();
    const sources = await sourcesOf(support, matrix.items, common, this.#executor);
    // Most of it stays zero, and takes no memory.
    const weight = sharedF32(support.target.length);
    await fit(matrix, sources, [profileFit], [weight], this.#executor, this.#windows);
    return { support, weight, degree: matrix.degree, items: matrix.items };
  }

  /** At least `rank` factors per item, of what users had. */
  factors(parameters: G1Parameters, rank: number): Promise<Factors> {
    const key = JSON.stringify(parameters.typeWeights);
    if (this.#factors?.key !== key || this.#factors.rank < rank)
      this.#factors = { key, rank, value: this.#factorise(parameters, rank) };
    return this.#factors.value;
  }

  async #factorise(parameters: G1Parameters, rank: number): Promise<Factors> {
    const { matrix } = await this.prepare(parameters);
    return factorise(matrix, rank, this.#executor, this.#memory.factors);
  }

  transitions(): Promise<Transitions> {
    this.#transitions ??= findTransitions(this.#positive, this.#executor, this.#memory.windowBytes);
    return this.#transitions;
  }

  pairs(): Promise<Pairs> {
    this.#pairs ??= findPairs(this.#positive, this.#executor);
    return this.#pairs;
  }

  /** The popularity of items for users without events: `degree` itself if it does not decay. */
  popularity(degree: Float64Array, { halfLifeDays }: G1Parameters): Float64Array {
    const { events } = this.data;
    if (!events.time || halfLifeDays >= never) return degree;
    if (this.#fallback?.degree === degree && this.#fallback.halfLifeDays === halfLifeDays)
      return this.#fallback.popularity;
    if (this.#recent?.halfLifeDays !== halfLifeDays)
      this.#recent = { halfLifeDays, popularity: popularityOf(events, decayOf(events, halfLifeDays)) };
    const popularity = fallbackPopularity(this.#recent.popularity, degree);
    this.#fallback = { degree, halfLifeDays, popularity };
    return popularity;
  }

  weights(parameters: G1Parameters): EventWeights {
    this.#unit ??= eventScale(
      this.data.events,
      parameters.typeWeights.map(() => 1),
    );
    return eventWeights(parameters, this.#unit, this.data.negativeTypes);
  }

  historyOf(user: number, parameters: G1Parameters): History {
    const { events } = this.data;
    const [from, to] = [events.offsets[user]!, events.offsets[user + 1]!];
    return readHistory(events, from, to, this.weights(parameters), this.#tokensOf(user, parameters));
  }

  /** The user as a visitor, with the target events hidden. Their items are not recommended: they cannot be held-out items. */
  visitorOf(user: number, parameters: G1Parameters): History {
    const { offsets, item, type, value } = this.data.events;
    const [from, to] = [offsets[user]!, offsets[user + 1]!];
    const isOther = (_: number, place: number) => type[from + place] !== 0;
    const others = {
      item: item.subarray(from, to).filter(isOther),
      type: type.subarray(from, to).filter(isOther),
      value: value.subarray(from, to).filter(isOther),
    };
    const tokens = this.#tokensOf(user, parameters);
    const history = readHistory(others, 0, others.item.length, this.weights(parameters), tokens);
    const targets = item.subarray(from, to).filter((_, place) => type[from + place] === 0);
    return { ...history, seen: Array.from(targets) };
  }

  #tokensOf(user: number, { attributeWeight }: G1Parameters): (readonly [token: number, weight: number])[] {
    return attributeWeight > 0 ? this.#attributesOf(user).map((token) => [token, attributeWeight]) : [];
  }

  #attributesOf(user: number): number[] {
    const { events, userAttributes } = this.data;
    return userAttributes ? Array.from(rowOf(userAttributes, user), (value) => events.items + value) : [];
  }
}
