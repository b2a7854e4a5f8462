import { type Executor } from '@tastegraph/algorithms';
import { type SearchOptions, train } from '@tastegraph/algorithms/g1';
import { fromLists, largest, readLists } from './data.ts';
import { byItemKnn, byModel, byPopularity, measure, type Question, type Score } from './measure.ts';
import { describe, formatScore, guardOf, type Outcome, scaleScore } from './outcome.ts';
import { published } from './published.ts';

const n = 20;
/** In a quick run, only lambda is searched, so less is expected. */
const quickFits = 3;
const quickShare = 0.97;
/** A result higher than this many times the best published one would mean that test data has leaked. */
const maxOverPublished = 1.15;

/**
 * One published split: all items are candidates, and training items are masked. All choices are made on a random part of the
 * training part, without using the order in the file. The test part is scored once.
 */
export async function runSplit(name: string, executor: Executor, quick: boolean): Promise<Outcome> {
  const known = readLists(`${name}/train.txt`);
  const relevant = readLists(`${name}/test.txt`);
  const items = Math.max(largest(known.values()), largest(relevant.values())) + 1;
  const questions: Question[] = [...relevant].map(([user, list]) => ({
    items: known.get(user) ?? [],
    relevant: list,
  }));
  const run = async (ordered: boolean, options: SearchOptions) => {
    const started = performance.now();
    const training = await train({ events: fromLists(known, ordered, items) }, executor, options);
    const seconds = (performance.now() - started) / 1000;
    return { score: measure(questions, n, byModel(training.model, n)), ...describe(training), seconds };
  };
  const { goal, measured, others, timesScored, orderInFile } = published[name]!;
  const ours = await run(false, quick ? { maxFits: quickFits } : {});
  // Not part of the goal: what the order in the file adds, first only to the choice of parameters, then to the model too.
  const withOrder = !quick && orderInFile;
  const chosenByOrder = withOrder ? await run(false, { holdOut: 'tail' }) : undefined;
  const ordered = withOrder ? await run(true, {}) : undefined;
  const popular = measure(questions, n, byPopularity(known.values(), n));
  const knn = quick ? undefined : measure(questions, n, byItemKnn(known, items, n));

  const row = (model: string, chosen: string, { recall, ndcg }: Score, scored = '') => ({
    data: name,
    model,
    'chosen on': chosen,
    'Recall@20': formatScore(recall),
    'NDCG@20': formatScore(ndcg),
    'scored during development': scored,
  });
  const best = {
    recall: Math.max(...Object.values(others).map(({ recall }) => recall)),
    ndcg: Math.max(...Object.values(others).map(({ ndcg }) => ndcg)),
  };
  return {
    table: 'Published splits, all items as candidates',
    rows: [
      row('G1, {}', 'random part of train', ours.score, timesScored),
      ...(chosenByOrder
        ? [row('G1, {}', 'tail of train, by file order', chosenByOrder.score, timesScored)]
        : []),
      ...(ordered ? [row('G1, {}, file order as time', 'tail of train', ordered.score, timesScored)] : []),
      row('popularity', '', popular),
      ...(knn ? [row('item-kNN, run by us', 'nothing', knn)] : []),
      ...Object.entries(others).map(([model, score]) => row(`${model}, published`, 'test part', score)),
    ],
    goals: [
      guardOf(name, ours.score, {
        measured: scaleScore(measured, quick ? quickShare : 1),
        goal,
        max: scaleScore(best, maxOverPublished),
      }),
    ],
    figures: {
      ours,
      chosen_by_order: chosenByOrder,
      ordered,
      popular,
      knn,
      scored_during_development: timesScored,
    },
  };
}
