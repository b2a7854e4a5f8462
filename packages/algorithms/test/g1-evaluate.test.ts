import { describe, expect, test } from 'vitest';
import { IncidenceBuilder } from '../src/data/incidence.ts';
import { holdOut } from '../src/data/split.ts';
import { gainOf, listLength } from '../src/evaluation/metrics.ts';
import { Fitter, fitterMemory, signalsOf } from '../src/g1/fit/fitter.ts';
import { eachPair } from '../src/g1/fit/pair-index.ts';
import { targetsPerPair } from '../src/g1/fit/pair-targets.ts';
import { makeScorer, type Scorer } from '../src/g1/fit/scorer.ts';
import { defaults } from '../src/g1/parameters.ts';
import { evaluateScorers } from '../src/g1/search/evaluate.ts';
import { ask, type Questions } from '../src/g1/search/questions.ts';
import { Validation } from '../src/g1/search/validation.ts';
import { InteractionsBuilder, seededRandom, sequential } from '../src/index.ts';
import { mean } from '../src/statistics/interval.ts';

const [users, items] = [120, 6000];

/** Enough items that those which one user's evidence reaches are more than the sums have places for at first. */
function makeEvents() {
  const random = seededRandom(3);
  const builder = new InteractionsBuilder();
  for (let user = 0; user < users; user++)
    for (let event = 0; event < (user === 7 ? 600 : 40); event++) {
      const near = (user % 6) * 1000 + Math.floor(1000 * random() ** 3);
      const item = random() < 0.8 ? near : Math.floor(items * random());
      builder.push(user, item, event % 9 === 0 ? 1 : 0, 1, event);
    }
  return builder.build({ ordered: true, users, items });
}

/** Each user has one of three values. */
function makeAttributes() {
  const builder = new IncidenceBuilder();
  for (let user = 0; user < users; user++) builder.push([user % 3]);
  return builder.build(3);
}

/** What one scorer recommends to one user, by sums over all items. */
function listOf(questions: Questions, scorer: Scorer, index: number): number[] {
  const { offsets, token, weight, age, hint, seenOffsets, seen } = questions;
  const [taste, other] = [new Float64Array(items), new Float64Array(items)];
  const strength = (cell: number) => weight[cell]! * (1 + age[cell]!) ** -scorer.recency;
  for (let cell = offsets[index]!; cell < offsets[index + 1]!; cell++) {
    const source = token[cell]!;
    const scaled = strength(cell) * scorer.sourceScale[source]! * scorer.tasteScale;
    for (let place = scorer.tasteOffsets[source]!; place < scorer.tasteOffsets[source + 1]!; place++)
      taste[scorer.tasteTarget[place]!]! += scaled * scorer.tasteWeight[place]!;
    if (source >= items) continue;
    if (scorer.transitionScale > 0)
      for (
        let place = scorer.transitionOffsets[source]!;
        place < scorer.transitionOffsets[source + 1]!;
        place++
      )
        other[scorer.transitionTarget[place]!]! +=
          strength(cell) * scorer.transitionScale * scorer.transitionWeight[place]!;
    other[source]! += hint[cell]!;
  }
  const { pairs } = scorer;
  if (pairs)
    eachPair(pairs, questions, offsets[index]!, offsets[index + 1]!, (pair, cell, factor) => {
      for (let place = 0; place < pairs.count[pair]!; place++) {
        const entry = pair * targetsPerPair + place;
        other[pairs.target[entry]!]! += strength(cell) * factor * scorer.pairScale * pairs.weight[entry]!;
      }
    });
  const isSeen = new Set(seen.subarray(seenOffsets[index], seenOffsets[index + 1]));
  const score = Array.from(taste, (sum, item) => sum * scorer.targetScale[item]! + other[item]!);
  const known = [...score.keys()].filter((item) => score[item]! > 0 && !isSeen.has(item));
  const ranked = known.sort((one, two) => score[two]! - score[one]! || one - two);
  const fill = [...scorer.popular].filter((item) => !isSeen.has(item) && !(score[item]! > 0));
  return [...ranked, ...fill].slice(0, listLength);
}

const heldOutOf = (user: number) =>
  Uint32Array.from({ length: 30 }, (_, place) => (user % 6) * 1000 + 7 * place);

describe('candidates that are evaluated at once', () => {
  test('have the lists that each has alone', async () => {
    const data = { events: makeEvents(), userAttributes: makeAttributes() };
    const start = { ...defaults(signalsOf(data)), hints: [0, 0.5], attributeWeight: 0.3 };
    const candidates = [
      { ...start, lambda: 30, a: 0, transitions: 0, recency: 0 },
      { ...start, lambda: 100, a: 0.2, transitions: 0.5, recency: 0 },
      { ...start, lambda: 100, a: 0.1, transitions: 1, recency: 1 },
      { ...start, lambda: 300, a: 0.1, transitions: 0, recency: 0.5, pairs: 0.4 },
      { ...start, lambda: 30, a: 0.2, transitions: 0.9, recency: 0.25, pairs: 0.8 },
    ];
    const fitter = new Fitter(data, 300, sequential);
    fitter.expect(candidates);
    const [transitions, pairs] = [await fitter.transitions(), await fitter.pairs()];
    const scorers = [];
    for (const one of candidates)
      scorers.push(
        makeScorer(await fitter.taste(one), transitions, one, undefined, one.pairs > 0 ? pairs : undefined),
      );
    const questions = ask(
      Array.from({ length: users }, (_, user) => user),
      (user) => fitter.historyOf(user, start),
      heldOutOf,
    );
    // As of a disliked item.
    for (let cell = 0; cell < questions.weight.length; cell += 11) questions.weight[cell]! *= -1;

    const together = await evaluateScorers(questions, scorers, sequential);
    expect(fitter.fits).toBe(1);
    for (const [place, scorer] of scorers.entries())
      for (let index = 0; index < users; index++) {
        const list = together[place]!.list.subarray(index * listLength, (index + 1) * listLength);
        expect([place, index, ...list]).toEqual([place, index, ...listOf(questions, scorer, index)]);
        const { ndcg } = gainOf(list, new Set(heldOutOf(index)));
        expect(together[place]!.ndcg[index]).toBe(Math.fround(ndcg));
      }
    // They differ, so that no two can be mixed up.
    expect(new Set(together.map(({ ndcg }) => mean(ndcg))).size).toBe(candidates.length);
    for (const { ndcg } of together) expect(mean(ndcg)).toBeGreaterThan(0.01);
  });

  test('are those that need neither another fit nor other questions, and look as they do alone', async () => {
    const data = { events: makeEvents() };
    const start = defaults(signalsOf(data));
    const split = holdOut(data.events, 'tail', 1);
    const validate = () => new Validation(data, split, 1, start.k, sequential, fitterMemory());
    const candidates = [
      { ...start, lambda: 30 },
      { ...start, lambda: 1000, a: 0.2 },
      { ...start, lambda: 30, recency: 1 },
      { ...start, lambda: 30, hints: [0, 1] },
      { ...start, beta: 0.6 },
    ];
    const validation = validate();
    validation.fitter.expect(candidates);
    const looked = [];
    const sizes = [];
    for (let left = candidates; left.length > 0; left = left.slice(sizes.at(-1))) {
      const evaluations = await validation.look(left);
      looked.push(...evaluations);
      sizes.push(evaluations.length);
    }
    expect(sizes).toEqual([3, 1, 1]);
    // The weights of a fit are in the arrays of the one before.
    expect(validation.fitter.fits).toBe(2);
    for (const [place, one] of candidates.entries())
      expect([looked[place]]).toEqual(await validate().look([one]));
  });
});
