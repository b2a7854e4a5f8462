import { type Executor, InteractionsBuilder } from '@tastegraph/algorithms';
import { fitModel, type G1Model, train } from '@tastegraph/algorithms/g1';
import { largest, readLists } from './data.ts';
import { byModel, byPopularity, measure, type Question, type Score } from './measure.ts';
import { describe, formatScore, type Outcome } from './outcome.ts';

const n = 20;
/** Carts alone, in terms of popularity's recall. */
const leastGain = 3;
/** What the users with many purchases may lose. */
const mostLoss = 0.005;
/** From this many purchases on, a user has many: one user in ten. */
const manyPurchases = 7;

/**
 * The last purchase of each user of taobao is to be predicted, among all items. Visitors: the users' purchases are
 * withheld when they are asked for, only their carts are known. Active users: those with many purchases, by the model as
 * it is and by one that treats all users alike, with everything else chosen the same.
 */
export async function visitors(executor: Executor): Promise<Outcome> {
  const buys = readLists('taobao-buycart/train.txt');
  const carts = readLists('taobao-buycart/cart.txt');
  const relevant = readLists('taobao-buycart/test.txt');
  const items = Math.max(...[buys, carts, relevant].map((lists) => largest(lists.values()))) + 1;
  const both = new InteractionsBuilder();
  for (const [user, list] of buys) for (const item of list) both.push(user, item, 0);
  for (const [user, list] of carts) for (const item of list) both.push(user, item, 1);
  const events = both.build({ ordered: false, items });
  const training = await train({ events }, executor);
  const alike = await trainAlike(events, executor);

  const ask = (users: Iterable<number>, withBuys: boolean): Question[] =>
    Array.from(users, (user) => {
      const bought = withBuys ? (buys.get(user) ?? []) : [];
      const carted = carts.get(user) ?? [];
      const types = [...bought.map(() => 0), ...carted.map(() => 1)];
      return { items: [...bought, ...carted], types, relevant: relevant.get(user) ?? [] };
    });
  const cartsOnly = ask(carts.keys(), false);
  const many = ask(
    [...buys].filter(([, list]) => list.length >= manyPurchases).map(([user]) => user),
    true,
  );
  const run = (questions: readonly Question[], model: G1Model) => measure(questions, n, byModel(model, n));
  const scores = {
    'carts alone': run(cartsOnly, training.model),
    'carts alone: popularity': measure(cartsOnly, n, byPopularity(buys.values(), n)),
    'many purchases': run(many, training.model),
    'many purchases: types alike for all users': run(many, alike),
  } satisfies Record<string, Score>;
  const gain = scores['carts alone'].recall / scores['carts alone: popularity'].recall;
  const kept = scores['many purchases'].ndcg / scores['many purchases: types alike for all users'].ndcg;
  return {
    table: `Users without purchases, and with many: taobao, the next purchase @${n} (the predicted part had been seen a few times before)`,
    rows: Object.entries(scores).map(([who, { recall, ndcg }]) => ({
      who,
      users: who.startsWith('carts') ? cartsOnly.length : many.length,
      Recall: formatScore(recall),
      NDCG: formatScore(ndcg),
    })),
    goals: [
      {
        text: `visitors: carts alone reach ${gain.toFixed(1)} times the recall of popularity (goal ${leastGain})`,
        reached: gain >= leastGain,
      },
      {
        text: `visitors: users with many purchases keep ${(100 * kept).toFixed(2)} % of NDCG (goal ${100 * (1 - mostLoss)} %)`,
        reached: kept >= 1 - mostLoss,
      },
    ],
    figures: { scores, gain, kept, other_types: training.otherTypes, ...describe(training) },
  };
}

/** As before types counted by kind of user: the same weights for all, and only target events are predicted. */
async function trainAlike(
  events: ReturnType<InteractionsBuilder['build']>,
  executor: Executor,
): Promise<G1Model> {
  const { parameters } = await train({ events }, executor, { given: { outcome: 0 } });
  const { typeWeights: visitorWeights, hints: visitorHints } = parameters;
  return fitModel({ events }, executor, { ...parameters, visitorWeights, visitorHints, fade: 0 });
}
