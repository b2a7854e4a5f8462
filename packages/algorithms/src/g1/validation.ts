import { sharedF32, sharedU32 } from '../arrays.ts';
import type { Executor } from '../parallel.ts';
import { draw, seededRandom } from '../random.ts';
import type { Split } from '../split.ts';
import { ask, type Evaluation, evaluate, listLength, type Questions } from './evaluate.ts';
import { Fitter, type TrainingData } from './fitter.ts';
import { type Estimate, estimate, type Metrics, summarise } from './metrics.ts';
import type { G1Parameters } from './parameters.ts';
import { makeScorer } from './scorer.ts';

/** Enough that a difference of one percent is seen, few enough that a look costs less than a fit. */
const questionedUsers = 4000;

/** How good parameters are: a held-out part of the data is predicted from the rest. */
export class Validation {
  readonly fitter: Fitter;
  readonly #split: Split;
  readonly #users: readonly number[];
  readonly #executor: Executor;
  #asked: { key: string; questions: Questions } | undefined;

  constructor(data: TrainingData, split: Split, seed: number, k: number, executor: Executor) {
    this.#split = split;
    this.fitter = new Fitter({ ...data, events: split.train }, k, executor);
    this.#users = questioned(split, seed);
    this.#executor = executor;
  }

  async look(parameters: G1Parameters): Promise<Evaluation> {
    const taste = await this.fitter.taste(parameters);
    const next = parameters.transitions > 0 ? await this.fitter.transitions() : undefined;
    return evaluate(this.#questions(parameters), makeScorer(taste, next, parameters), this.#executor);
  }

  summarise(evaluation: Evaluation): Metrics {
    return summarise(evaluation, this.#split.train.items);
  }

  /** What recommending the most popular items to everybody reaches on the same users. */
  async popularity(parameters: G1Parameters): Promise<Metrics> {
    const { tokens, items, degree } = (await this.fitter.prepare(parameters)).matrix;
    const support = { tokens, k: 0, count: sharedU32(tokens), target: sharedU32(0) };
    const taste = { support, weight: sharedF32(0), degree, items };
    const blank = makeScorer(taste, undefined, { ...parameters, hint: 0 });
    return this.summarise(await evaluate(this.#questions(parameters), blank, this.#executor));
  }

  /** Users without any event, by their attributes and what everybody likes, and beside it the most popular alone. */
  async coldUsers(parameters: G1Parameters): Promise<{ model: Metrics; popularity: Metrics } | undefined> {
    const users = [...this.#split.coldUsers].filter((user) => this.#wantedOf(user).length > 0);
    if (users.length === 0) return undefined;
    const questions = ask(
      users,
      (user) => this.fitter.profileOf(user),
      (user) => this.#wantedOf(user),
    );
    const plain = { a: 0, recency: 0, transitions: 0, hint: 0 };
    const scorer = makeScorer(await this.fitter.profile(parameters), undefined, plain);
    const run = async (tasteScale: number) =>
      this.summarise(await evaluate(questions, { ...scorer, tasteScale }, this.#executor));
    return { model: await run(1), popularity: await run(0) };
  }

  /** Of the items that occur in the held-out part only: how many there are, and the share found of those wanted. */
  coldItems({ list }: Evaluation): { items: number; recall20: Estimate } {
    const { train, wanted } = this.#split;
    const known = new Uint8Array(train.items);
    for (const item of train.item) known[item] = 1;
    const cold = new Set(wanted.filter((item) => known[item] === 0));
    const found: number[] = [];
    for (const [index, user] of this.#users.entries()) {
      const held = this.#wantedOf(user).filter((item) => cold.has(item));
      if (held.length === 0) continue;
      const shown = new Set(list.subarray(index * listLength, (index + 1) * listLength));
      found.push(held.filter((item) => shown.has(item)).length / held.length);
    }
    return { items: cold.size, recall20: estimate(found) };
  }

  #questions(parameters: G1Parameters): Questions {
    const key = JSON.stringify([parameters.typeWeights, parameters.attributeWeight]);
    if (this.#asked?.key !== key) {
      const questions = ask(
        this.#users,
        (user) => this.fitter.historyOf(user, parameters),
        (user) => this.#wantedOf(user),
      );
      this.#asked = { key, questions };
    }
    return this.#asked.questions;
  }

  #wantedOf(user: number): Uint32Array {
    const { wanted, wantedOffsets } = this.#split;
    return wanted.subarray(wantedOffsets[user], wantedOffsets[user + 1]);
  }
}

/** Users with something to predict it from, all or a seeded draw of them, in order. */
function questioned({ train, wantedOffsets, coldUsers }: Split, seed: number): number[] {
  const cold = new Set(coldUsers);
  const able: number[] = [];
  for (let user = 0; user < train.users; user++)
    if (wantedOffsets[user + 1]! > wantedOffsets[user]! && !cold.has(user)) able.push(user);
  return draw(able, questionedUsers, seededRandom(seed)).sort((a, b) => a - b);
}
