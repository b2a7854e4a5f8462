import { type Executor, InteractionsBuilder } from '@tastegraph/algorithms';
import { fitModel, train } from '@tastegraph/algorithms/g1';
import { append, Numbering, readLines } from './data.ts';
import { byModel, measure, type Question } from './measure.ts';
import { formatScore, type Outcome } from './outcome.ts';

interface Rating {
  readonly user: number;
  readonly item: number;
  readonly minute: number;
}

const n = 20;
const predictedShare = 0.1;
/** In days: popularity that does not decay. */
const never = 36_500;
/** What users with events may lose. */
const mostLoss = 0.005;

const data: Record<string, () => Rating[]> = {
  movietweetings: () => read('movietweetings-100k/ratings.dat', '::'),
  'ml-100k': () => read('ml-100k/u.data', '\t'),
};

/**
 * The last tenth of all ratings, predicted from the rest: for users who came then, and for those who were there before. G1
 * with the half-life of popularity that it chooses, compared with popularity that does not decay.
 */
export async function newUsers(executor: Executor): Promise<Outcome> {
  const rows: Record<string, string | number>[] = [];
  const goals: Outcome['goals'][number][] = [];
  for (const [name, open] of Object.entries(data)) {
    const { events, questions } = split(open().sort((one, other) => one.minute - other.minute));
    const { model, parameters } = await train({ events }, executor);
    const plain = await fitModel({ events }, executor, { ...parameters, halfLifeDays: never });
    const run = (of: readonly Question[], by = model) => measure(of, n, byModel(by, n)).ndcg;
    for (const [who, of] of Object.entries(questions)) {
      const [ours, without] = [run(of), run(of, plain)];
      rows.push({
        data: name,
        who,
        users: of.length,
        'half-life, days': parameters.halfLifeDays,
        'NDCG@20, no decay': formatScore(without),
        'NDCG@20': formatScore(ours),
      });
      goals.push({
        text: `${name}, ${who}: NDCG@20 ${formatScore(ours)}, without decay ${formatScore(without)}`,
        reached: who === 'new users' ? ours >= without : ours >= (1 - mostLoss) * without,
      });
    }
  }
  return { table: 'Users who come later, all items as candidates', rows, goals, figures: { rows } };
}

function split(ratings: readonly Rating[]) {
  const cut = Math.floor(ratings.length * (1 - predictedShare));
  const builder = new InteractionsBuilder();
  const histories = new Map<number, number[]>();
  for (const { user, item, minute } of ratings.slice(0, cut)) {
    builder.push(user, item, 0, 1, minute);
    append(histories, user, item);
  }
  const next = new Map<number, number[]>();
  for (const { user, item } of ratings.slice(cut))
    if (!histories.get(user)?.includes(item)) append(next, user, item);
  const ask = ([user, relevant]: [number, number[]]): Question => ({
    items: histories.get(user) ?? [],
    relevant,
  });
  return {
    events: builder.build({ ordered: true, hasTimes: true }),
    questions: {
      'new users': [...next].filter(([user]) => !histories.has(user)).map(ask),
      'known users': [...next].filter(([user]) => histories.has(user)).map(ask),
    },
  };
}

function read(path: string, separator: string): Rating[] {
  const users = new Numbering();
  const items = new Numbering();
  return readLines(path).map((line) => {
    const [user = '', item = '', , seconds] = line.split(separator);
    return { user: users.of(user), item: items.of(item), minute: Math.floor(Number(seconds) / 60) };
  });
}
