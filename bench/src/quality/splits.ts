import { type Executor, type SearchOptions, train } from '@tastegraph/algorithms';
import { fromLists, largest, readLists } from './data.ts';
import { byModel, byNeighbours, byPopularity, measure, type Question, type Score } from './measure.ts';
import { describe, goalOf, type Outcome, place, times } from './outcome.ts';
import { published } from './published.ts';

const n = 20;
/** In a gate: lambda alone is searched, and a change of the algorithm may trade a little. */
const quickFits = 3;
const quickShare = 0.98;
/** Further above the best that was ever published than this, something knows what it should not. */
const tooGood = 1.15;

/**
 * One published split: all items are candidates, train items are masked. Everything is chosen on a random part of the
 * train part, the order in the file is not used, and the test part is scored once.
 */
export async function runSplit(name: string, executor: Executor, quick: boolean): Promise<Outcome> {
  const known = readLists(`${name}/train.txt`);
  const wanted = readLists(`${name}/test.txt`);
  const items = Math.max(largest(known.values()), largest(wanted.values())) + 1;
  const questions: Question[] = [...wanted].map(([user, list]) => ({
    items: known.get(user) ?? [],
    wanted: list,
  }));
  const run = async (ordered: boolean, options: SearchOptions) => {
    const started = performance.now();
    const training = await train({ events: fromLists(known, ordered, items) }, executor, options);
    const seconds = (performance.now() - started) / 1000;
    return { score: measure(questions, n, byModel(training.model, n)), ...describe(training), seconds };
  };
  const { goal, others, looked, orderInFile } = published[name]!;
  const ours = await run(false, quick ? { maxFits: quickFits } : {});
  // Not part of the goal: what the order in the file adds, first for choosing alone, then for the model too.
  const withOrder = !quick && orderInFile;
  const chosenByOrder = withOrder ? await run(false, { holdOut: 'tail' }) : undefined;
  const ordered = withOrder ? await run(true, {}) : undefined;
  const popular = measure(questions, n, byPopularity(known.values(), n));
  const knn = quick ? undefined : measure(questions, n, byNeighbours(known, items, n));

  const row = (who: string, chosen: string, { recall, ndcg }: Score, looks = '') => ({
    ...{ data: name, who, 'chosen on': chosen },
    ...{ 'Recall@20': place(recall), 'NDCG@20': place(ndcg), 'test part seen before': looks },
  });
  const best = {
    recall: Math.max(...Object.values(others).map(({ recall }) => recall)),
    ndcg: Math.max(...Object.values(others).map(({ ndcg }) => ndcg)),
  };
  return {
    table: 'Published splits, all items as candidates',
    rows: [
      row('G1, {}', 'random part of train', ours.score, looked),
      ...(chosenByOrder ? [row('G1, {}', 'tail of train, by file order', chosenByOrder.score, looked)] : []),
      ...(ordered ? [row('G1, {}, file order as time', 'tail of train', ordered.score, looked)] : []),
      row('popularity', '', popular),
      ...(knn ? [row('item-kNN, run by us', 'nothing', knn)] : []),
      ...Object.entries(others).map(([who, score]) => row(`${who}, published`, 'test part', score)),
    ],
    goals: [goalOf(name, ours.score, times(goal, quick ? quickShare : 1), times(best, tooGood))],
    figures: { ours, chosen_by_order: chosenByOrder, ordered, popular, knn, test_part_seen_before: looked },
  };
}
