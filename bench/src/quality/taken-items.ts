import { type Executor, type LateItems, seededRandom } from '@tastegraph/algorithms';
import { type G1Model, G1Scorer, train } from '@tastegraph/algorithms/g1';
import { append, incidence } from './data.ts';
import { measure, type Question, type Score } from './measure.ts';
import { beauty, dataOf, ml1m, newOf, questionsOf, type Source } from './new-items.ts';
import { describe, formatScore, type Outcome } from './outcome.ts';

const n = 20;
/** How many users took each new item since the training. */
const takers = [0, 1, 5];
/** Five events must improve NDCG@20 by at least this factor. More than twice would mean that test data has leaked. */
const gains: Record<string, number> = { Beauty: 1.1, 'ML-1M': 1.02 };
const maxGain = 2;

/** New items that some users took since the training, among themselves. */
export async function takenItems(executor: Executor): Promise<Outcome> {
  const outcomes = [await run('Beauty', beauty(), executor), await run('ML-1M', ml1m(), executor)];
  return {
    table:
      'New items by the users who took them since the training, among themselves @20 (test parts scored once)',
    rows: outcomes.flatMap(({ rows }) => rows),
    goals: outcomes.flatMap(({ goals }) => goals),
    figures: Object.fromEntries(outcomes.map(({ data, figures }) => [data, figures])),
  };
}

async function run(data: string, source: Source, executor: Executor) {
  const training = await train(dataOf(source), executor);
  const isNew = newOf(source);
  const { fresh } = questionsOf(source, isNew);
  const late = [...isNew.keys()].filter((item) => isNew[item]);
  const histories = historiesOf(source, isNew);
  const scores = takers.map((count) => {
    const given = lateOf(training.model, source, late, (item) => histories.get(item)?.slice(0, count) ?? []);
    return { count, score: measure(fresh, n, byLate(training.model, late, given)) };
  });
  const [first, last] = [scores[0]!.score, scores.at(-1)!.score];
  const ratio = last.ndcg / first.ndcg;
  const min = gains[data]!;
  return {
    data,
    rows: scores.map(({ count, score }) => row(data, count, score)),
    goals: [
      {
        text: `${data}: NDCG@20 of new items ${formatScore(first.ndcg)}, taken by ${takers.at(-1)} users ${formatScore(last.ndcg)}: ${ratio.toFixed(2)} times (goal ${min} to ${maxGain})`,
        reached: ratio >= min && ratio <= maxGain,
      },
    ],
    figures: { scores, ...describe(training) },
  };
}

const row = (data: string, count: number, { recall, ndcg }: Score) => ({
  data,
  'users who took it': count,
  Recall: formatScore(recall),
  NDCG: formatScore(ndcg),
});

/** By new item: what users who took it before the test part had besides, in a random order of users. */
function historiesOf({ histories, isTest }: Source, isNew: readonly boolean[]): Map<number, Uint32Array[]> {
  const random = seededRandom(3);
  const found = new Map<number, { items: Uint32Array; place: number }[]>();
  for (const history of histories.values()) {
    const before = history.filter((event, place) => !isTest(event, place, history.length));
    const items = before.filter(({ item }) => !isNew[item]).map(({ item }) => item);
    for (const { item } of before)
      if (isNew[item] && items.length > 0)
        append(found, item, { items: Uint32Array.from(new Set(items)), place: random() });
  }
  return new Map(
    [...found].map(([item, list]) => [
      item,
      list.toSorted((one, other) => one.place - other.place).map(({ items }) => items),
    ]),
  );
}

/** The new items as a serving process has them. */
function lateOf(
  model: G1Model,
  { values }: Source,
  late: readonly number[],
  takersOf: (item: number) => readonly Uint32Array[],
): LateItems {
  const scorer = new G1Scorer(model);
  const features = late.map((item) => [...scorer.featuresOf!(values[item] ?? [])]);
  const { offsets, column } = incidence(features, 0);
  const places = [...late.keys()].filter((place) => takersOf(late[place]!).length > 0);
  const taken = places.map((place) => {
    const histories = takersOf(late[place]!);
    return scorer.weighHistories!(histories, histories.length);
  });
  const ends = incidence(
    taken.map(({ item }) => [...item]),
    model.items,
  );
  return {
    count: late.length,
    offsets,
    feature: column,
    evidence: {
      place: Uint32Array.from(places),
      events: Uint32Array.from(taken, ({ events }) => events),
      offsets: ends.offsets,
      item: ends.column,
      weight: Float32Array.from(taken.flatMap(({ weight }) => [...weight])),
    },
  };
}

function byLate(model: G1Model, items: readonly number[], late: LateItems) {
  const scorer = new G1Scorer(model);
  return ({ items: history }: Question): number[] => {
    const events = {
      item: Uint32Array.from(history),
      type: new Uint8Array(history.length),
      value: new Float32Array(history.length).fill(1),
    };
    const masked = (item: number) => item < model.items;
    const list = scorer.recommend({ events, attributes: [] }, { n, late, masked });
    return list.map(({ item }) => items[item - model.items]!);
  };
}
