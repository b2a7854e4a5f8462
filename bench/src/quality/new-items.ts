import { type Executor, InteractionsBuilder, seededRandom, type TrainingData } from '@tastegraph/algorithms';
import { train } from '@tastegraph/algorithms/g1';
import { append, incidence, largest, Numbering, readBeauty, readLines } from './data.ts';
import { byModel, measure, type Question } from './measure.ts';
import { readMovieTweetings } from './movie-tweetings.ts';
import { describe, formatScore, type Outcome } from './outcome.ts';

const n = 20;

interface Event {
  readonly item: number;
  readonly at: number;
}

export interface Source {
  readonly items: number;
  /** By user, oldest first. */
  readonly histories: ReadonlyMap<number, readonly Event[]>;
  /** By item. */
  readonly values: readonly (readonly number[])[];
  /** What the model may know. */
  readonly isKnown: (event: Event, place: number, length: number) => boolean;
  /** What is to be predicted. */
  readonly isTest: (event: Event, place: number, length: number) => boolean;
  /** Whether `at` is a time in minutes. */
  readonly hasTimes: boolean;
}

/** Allowed ratio of the recall of lists with new items to that of lists without. */
const gains: Record<string, readonly [min: number, max: number]> = {
  Beauty: [1, 1.5],
  'MovieTweetings, by time': [0.99, 1.5],
  'ML-1M': [0.99, 1.5],
};

/** Items of which the training knows no event, in one list with all others. */
export const newItems = {
  'new-items': (executor: Executor) => run('Beauty', beauty(), executor),
  'new-items-by-time': (executor: Executor) => run('MovieTweetings, by time', movieTweetings(), executor),
  'new-items-ml-1m': (executor: Executor) => run('ML-1M', ml1m(), executor),
};

async function run(data: string, source: Source, executor: Executor): Promise<Outcome> {
  const { events, itemAttributes } = dataOf(source);
  const training = await train({ events, itemAttributes }, executor);
  const plain = await train({ events }, executor);
  const isNew = newOf(source);
  const { all, known, fresh } = questionsOf(source, isNew);
  const withNew = byModel(training.model, n);
  const withoutNew = byModel(training.model, n, (item) => isNew[item] === true);
  const among = byModel(training.model, n, (item) => isNew[item] !== true);
  const scores = {
    'all items': measure(all, n, withNew),
    'all items, new ones left out': measure(all, n, withoutNew),
    'known items': measure(known, n, withNew),
    'known items, new ones left out': measure(known, n, withoutNew),
    'known items, without attributes': measure(known, n, byModel(plain.model, n)),
    'new items': measure(fresh, n, withNew),
    'new items among themselves': measure(fresh, n, among),
  };
  const [min, max] = gains[data]!;
  const [shown, hidden] = [scores['all items'].recall, scores['all items, new ones left out'].recall];
  return {
    table:
      'New items in one list with known ones, @20 (test parts were scored two to four times during development)',
    rows: Object.entries(scores).map(([what, { recall, ndcg }]) => ({
      data,
      what,
      Recall: formatScore(recall),
      NDCG: formatScore(ndcg),
    })),
    goals: [
      {
        text: `${data}: Recall@20 of all items ${formatScore(shown)}, with new items left out ${formatScore(hidden)}: ${(shown / hidden).toFixed(3)} times (goal ${min} to ${max})`,
        reached: shown >= min * hidden && shown <= max * hidden,
      },
    ],
    figures: { scores, ...describe(training) },
  };
}

export function dataOf({ items, histories, values, isKnown, hasTimes }: Source): TrainingData {
  const builder = new InteractionsBuilder();
  for (const [user, history] of histories)
    for (const [place, event] of history.entries())
      if (isKnown(event, place, history.length)) builder.push(user, event.item, 0, 1, event.at);
  const rows = Array.from({ length: items }, (_, item) => values[item] ?? []);
  return {
    events: builder.build({ ordered: true, items, ...(hasTimes && { hasTimes }) }),
    itemAttributes: incidence(rows, largest(rows) + 1),
  };
}

/** By item: whether it has no known event. */
export function newOf({ items, histories, isKnown }: Source): boolean[] {
  const isNew = Array.from({ length: items }, () => true);
  for (const history of histories.values())
    for (const [place, event] of history.entries())
      if (isKnown(event, place, history.length)) isNew[event.item] = false;
  return isNew;
}

export function questionsOf({ histories, isKnown, isTest }: Source, isNew: readonly boolean[]) {
  const all: Question[] = [...histories.values()].map((history) => {
    const items = history
      .filter((event, place) => isKnown(event, place, history.length))
      .map(({ item }) => item);
    const relevant = history
      .filter((event, place) => isTest(event, place, history.length))
      .map(({ item }) => item);
    return { items, relevant: relevant.filter((item) => !items.includes(item)) };
  });
  const asked = all.filter(({ items }) => items.length > 0);
  const only = (wanted: boolean) =>
    asked.map((one) => ({ ...one, relevant: one.relevant.filter((item) => isNew[item] === wanted) }));
  return { all: asked, known: only(false), fresh: only(true) };
}

/** The last item of each user is predicted; a tenth of the items has lost all events before. */
export function beauty(): Source {
  const { lists, items, values } = readBeauty();
  const random = seededRandom(2);
  const hidden = Array.from({ length: items }, () => random() < 0.1);
  return {
    items,
    histories: new Map([...lists].map(([user, list]) => [user, list.map((item, at) => ({ item, at }))])),
    values,
    isKnown: ({ item }, place, length) => place < length - 1 && !hidden[item],
    isTest: (_, place, length) => place === length - 1,
    hasTimes: false,
  };
}

/** The newest tenth of the ratings is predicted. */
function movieTweetings(): Source {
  const { histories, items } = readMovieTweetings();
  const inMinutes = ({ item, seconds }: { item: number; seconds: number }) => ({
    item,
    at: Math.floor(seconds / 60),
  });
  const ordered = new Map(
    [...histories].map(([user, list]) => [user, list.map(inMinutes).sort((a, b) => a.at - b.at)]),
  );
  const times = [...ordered.values()].flatMap((list) => list.map(({ at }) => at)).sort((a, b) => a - b);
  const cut = times[Math.floor(0.9 * times.length)]!;
  const values = readMovies('movietweetings-100k', items);
  return {
    items: items.size,
    histories: ordered,
    values,
    isKnown: ({ at }) => at < cut,
    isTest: ({ at }) => at >= cut,
    hasTimes: true,
  };
}

/** The last fifth of each user's ratings is predicted; a tenth of the items has lost all events before. */
export function ml1m(): Source {
  const items = new Numbering();
  const users = new Numbering();
  const histories = new Map<number, Event[]>();
  for (const line of readLines('ml-1m/ratings_ordered.csv').slice(1)) {
    const [user = '', item = '', , order = ''] = line.split(',');
    append(histories, users.of(user), { item: items.of(item), at: Number(order) });
  }
  const values = readMovies('ml-1m', items);
  const random = seededRandom(2);
  const hidden = Array.from({ length: items.size }, () => random() < 0.1);
  const isTest = (_: Event, place: number, length: number) => place >= 0.8 * length;
  return {
    items: items.size,
    histories: new Map([...histories].map(([user, list]) => [user, list.sort((a, b) => a.at - b.at)])),
    values,
    isKnown: (event, place, length) => !isTest(event, place, length) && !hidden[event.item],
    isTest,
    hasTimes: false,
  };
}

/** Genres and years. Movies without a rating are left out. */
function readMovies(folder: string, items: Numbering): number[][] {
  const numbers = new Numbering();
  const values: number[][] = [];
  for (const line of readLines(`${folder}/movies.dat`)) {
    const [id = '', title = '', genres = ''] = line.split('::');
    const item = items.find(id);
    if (item === undefined) continue;
    const year = Number(/\((\d{4})\)/.exec(title)?.[1] ?? 0);
    const own = [...genres.split('|').filter((genre) => genre !== ''), `year ${year}`];
    values[item] = own.map((value) => numbers.of(value));
  }
  return Array.from({ length: items.size }, (_, item) => values[item] ?? []);
}
