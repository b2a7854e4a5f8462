import { writeFileSync } from 'node:fs';
import { type Executor, seededRandom } from '@tastegraph/algorithms';
import { train } from '@tastegraph/algorithms/g1';
import { chooseNew } from '@tastegraph/server/choose-new';
import { fromLists } from './data.ts';
import { drawShare } from './draw-share.ts';
import { byModel, measure, type Question } from './measure.ts';
import { splitMovieTweetings } from './movie-tweetings.ts';
import { formatScore, type Outcome } from './outcome.ts';

const limit = 10;
const poolSize = 100;
const shares = [0, 0.1, 0.2, 0.3, 0.5];
/** As in the contract. */
const newItemEvents = 10;
/** A few fits are enough: all shares use the same model. */
const maxFits = 3;

/**
 * What a share of new items costs on MovieTweetings: each user's last fifth is predicted from the others. New items have fewer than ten
 * ratings in the part that the model learns from. TASTEGRAPH_PICTURE names a file for the chart (docs/guide/new-item-share.svg).
 */
export async function newItemShare(executor: Executor): Promise<Outcome> {
  const { known, questions, items } = splitMovieTweetings();
  const counts = new Uint32Array(items);
  for (const list of known.values()) for (const item of list) counts[item]!++;
  const isNew = (item: number) => counts[item]! < newItemEvents;
  const { model } = await train({ events: fromLists(known, true, items) }, executor, { maxFits });
  const best = byModel(model, poolSize);
  const bestNew = byModel(model, poolSize, (item) => !isNew(item));
  const pools = questions.map((question) => ({ question, pool: best(question), fresh: bestNew(question) }));
  const rows: { share: number; shown: number; ndcg: number; newRecall: number; distinct: number }[] = [];
  for (const share of shares) {
    const random = seededRandom(1);
    const lists = new Map<Question, number[]>();
    for (const { question, pool, fresh } of pools)
      lists.set(question, await chooseNew(pool, fresh, { limit, share, isNew, random }));
    const listOf = (question: Question) => lists.get(question) ?? [];
    const scoreOf = (part: (item: number) => boolean) => {
      const whole = new Map<Question, Question>();
      for (const question of questions)
        whole.set({ ...question, relevant: question.relevant.filter(part) }, question);
      return measure([...whole.keys()], limit, (question) => listOf(whole.get(question) ?? question));
    };
    const shown = [...lists.values()].flat().filter(isNew);
    rows.push({
      share,
      shown: shown.length / (limit * lists.size),
      ndcg: scoreOf((item) => !isNew(item)).ndcg,
      newRecall: scoreOf(isNew).recall,
      distinct: new Set(shown).size,
    });
  }
  const picture = process.env['TASTEGRAPH_PICTURE'];
  if (picture !== undefined) writeFileSync(picture, drawShare(rows));
  const [none] = rows;
  return {
    table: `A share of new items on MovieTweetings: each user's last fifth @${limit}, ${questions.length} users`,
    rows: rows.map(({ share, shown, ndcg, newRecall, distinct }) => ({
      new_item_share: share,
      'new items shown': `${(100 * shown).toFixed(1)} %`,
      'NDCG@10 of known items': formatScore(ndcg),
      'of 0': (ndcg / (none?.ndcg ?? 1)).toFixed(2),
      'Recall@10 of new items': formatScore(newRecall),
      'distinct new items': distinct,
    })),
    goals: [
      {
        text: 'new-item-share: every share is reached',
        reached: rows.every(({ share, shown }) => shown >= share - 1e-9),
      },
    ],
    figures: { rows },
  };
}
