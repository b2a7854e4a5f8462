import type { Executor } from '@tastegraph/algorithms';
import { fitModel, type G1Model, train } from '@tastegraph/algorithms/g1';
import { fromLists } from './data.ts';
import { byModel, byPopularity, measure, type Question } from './measure.ts';
import { describe, formatScore, type Outcome } from './outcome.ts';
import { isNewClick, readYoochoose } from './yoochoose.ts';

const n = 20;
/** NDCG in terms of a model that does not know that users come back; 1.64 was measured. */
const leastGain = 1.63;

/** Predicts each click of yoochoose's later sessions, including clicks on items that the session already had. */
export async function repeats(executor: Executor): Promise<Outcome> {
  const { known, items, questions } = readYoochoose();
  const events = fromLists(known, true, items);
  const training = await train({ events }, executor, { holdOut: 'last' });
  const without = await fitModel({ events }, executor, { ...training.parameters, repeat: 0 });
  const popular = byPopularity(known.values(), n);
  const newestFirst = (question: Question) =>
    [...new Set([...question.items.toReversed(), ...popular(question)])].slice(0, n);
  const withSeen = (model: G1Model) => measure(questions, n, byModel(model, n, undefined, true));
  const scores = {
    'G1, {}': withSeen(training.model),
    'G1, {}, without what the session had': withSeen(without),
    'the items of the session, the newest first': measure(questions, n, newestFirst),
  };
  const gain = scores['G1, {}'].ndcg / scores['G1, {}, without what the session had'].ndcg;
  const again = questions.filter((question) => !isNewClick(question)).length / questions.length;
  return {
    table: `The next click @${n}, ${(100 * again).toFixed(0)} % of which are on an item that the session has had (yoochoose)`,
    rows: Object.entries(scores).map(([model, { recall, ndcg }]) => ({
      model,
      Recall: formatScore(recall),
      NDCG: formatScore(ndcg),
    })),
    goals: [
      {
        text: `repeats: ${gain.toFixed(2)} times the NDCG of a model without what the session had (allowed ${leastGain} or more)`,
        reached: gain >= leastGain,
      },
    ],
    figures: { scores, again, ...describe(training) },
  };
}
