import type { Executor, Interactions } from '@tastegraph/algorithms';
import { fitModel, type G1Model, train } from '@tastegraph/algorithms/g1';
import { byModel, byPopularity, measure, type Question, type Score } from './measure.ts';
import { describe, formatScore, type Outcome } from './outcome.ts';
import { readTaobao } from './taobao.ts';

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
  const { buys, carts, events, ask } = readTaobao();
  const training = await train({ events }, executor);
  const alike = await trainAlike(events, executor);

  const cartsOnly = Array.from(carts.keys(), (user) => ask(user, []));
  const many = [...buys]
    .filter(([, list]) => list.length >= manyPurchases)
    .map(([user, list]) => ask(user, list));
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
async function trainAlike(events: Interactions, executor: Executor): Promise<G1Model> {
  const { parameters } = await train({ events }, executor, { given: { outcome: 0 } });
  const { typeWeights: visitorWeights, hints: visitorHints } = parameters;
  return fitModel({ events }, executor, { ...parameters, visitorWeights, visitorHints, fade: 0 });
}
