import type { Executor } from '@tastegraph/algorithms';
import { G1Scorer, train } from '@tastegraph/algorithms/g1';
import { chooseVaried } from '@tastegraph/server/choose-varied';
import { append, fromLists, Numbering, readLines } from './data.ts';
import { byModel, measure, type Question } from './measure.ts';
import { formatScore, type Outcome } from './outcome.ts';

const limit = 10;
/** As in a call. */
const poolSize = 5 * limit;
const levels = ['NONE', 'LOW', 'MEDIUM', 'HIGH'] as const;
/** Enough for two digits; a pool takes milliseconds. */
const testUsers = 2000;
/** A few fits are enough: all levels use the same model. */
const maxFits = 3;

/**
 * What a level of diversity costs on MovieLens 1M: each user's last fifth is predicted from the others. Intra-list similarity
 * is the mean share of genres that two items of a list have in common.
 */
export async function diversity(executor: Executor): Promise<Outcome> {
  const { known, questions, items, genres } = readRatings();
  const { model } = await train({ events: fromLists(known, true, items) }, executor, { maxFits });
  const scorer = new G1Scorer(model);
  const pools = new Map(questions.map((question) => [question, byModel(model, poolSize)(question)] as const));
  const rows: { level: string; ndcg: number; recall: number; similarity: number; genres: number }[] = [];
  for (const level of levels) {
    const lists = new Map<Question, number[]>();
    for (const [question, pool] of pools) lists.set(question, chooseVaried(pool, scorer, level, limit));
    const { ndcg, recall } = measure(questions, limit, (question) => lists.get(question) ?? []);
    const all = [...lists.values()];
    const similarity = all.reduce((sum, list) => sum + similarityOf(list, genres), 0) / all.length;
    const distinct = all.reduce(
      (sum, list) => sum + new Set(list.flatMap((item) => genres[item] ?? [])).size,
      0,
    );
    rows.push({ level, ndcg, recall, similarity, genres: distinct / all.length });
  }
  const [none, ...others] = rows;
  const ordered = others.every(
    ({ similarity }, place) => similarity < (rows[place]?.similarity ?? Number.POSITIVE_INFINITY),
  );
  return {
    table: `Diversity on ml-1m: each user's last fifth @${limit}, ${questions.length} users`,
    rows: rows.map((row) => ({
      level: row.level,
      'NDCG@10': formatScore(row.ndcg),
      'Recall@10': formatScore(row.recall),
      'of NONE': (row.ndcg / (none?.ndcg ?? 1)).toFixed(2),
      'intra-list similarity by genre': row.similarity.toFixed(3),
      'genres per list': row.genres.toFixed(1),
    })),
    goals: [{ text: 'diversity: each level is more varied than the one before', reached: ordered }],
    figures: { rows },
  };
}

function readRatings() {
  const users = new Numbering();
  const movies = new Numbering();
  const histories = new Map<number, { item: number; order: number }[]>();
  for (const line of readLines('ml-1m/ratings_ordered.csv').slice(1)) {
    const [user = '', item = '', , order] = line.split(',');
    append(histories, users.of(user), { item: movies.of(item), order: Number(order) });
  }
  const genres: string[][] = [];
  for (const line of readLines('ml-1m/movies.dat')) {
    const [id = '', , names = ''] = line.split('::');
    const item = movies.find(id);
    if (item !== undefined) genres[item] = names.split('|');
  }
  const known = new Map<number, number[]>();
  const questions: Question[] = [];
  for (const [user, history] of histories) {
    const sorted = history.sort((a, b) => a.order - b.order).map(({ item }) => item);
    const kept = sorted.length - Math.round(sorted.length / 5);
    known.set(user, sorted.slice(0, kept));
    if (questions.length < testUsers)
      questions.push({ items: sorted.slice(0, kept), relevant: sorted.slice(kept) });
  }
  return { known, questions, items: movies.size, genres };
}

/** The mean over all pairs of a list. */
function similarityOf(list: readonly number[], genres: readonly string[][]): number {
  let sum = 0;
  let pairs = 0;
  for (const [place, one] of list.entries())
    for (const other of list.slice(place + 1)) {
      const all = new Set([...(genres[one] ?? []), ...(genres[other] ?? [])]);
      const shared = (genres[one] ?? []).filter((genre) => genres[other]?.includes(genre));
      sum += all.size > 0 ? shared.length / all.size : 0;
      pairs++;
    }
  return pairs > 0 ? sum / pairs : 0;
}
