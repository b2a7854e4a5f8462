import { type Executor, InteractionsBuilder, seededRandom } from '@tastegraph/algorithms';
import { fitModel, type Training, train } from '@tastegraph/algorithms/g1';
import { append, fromLists, incidence, largest, Numbering, readLines, readLists } from './data.ts';
import { byModel, byPopularity, measure, type Question, type Score } from './measure.ts';
import { newUsers } from './new-users.ts';
import { describe, formatScore, type Outcome } from './outcome.ts';
import { repeats } from './repeats.ts';

/** Data sets with an additional signal, measured with and without it. */
export const signals: Record<string, (executor: Executor) => Promise<Outcome>> = {
  's3rec-beauty': coldItems,
  'ml-100k': coldUsers,
  taobao: secondEventType,
  'new-users': newUsers,
  repeats,
};

/** The allowed ratio of the first score to the second: below it, quality was lost; above it, test data has leaked. */
interface Gain {
  readonly min: number;
  readonly max: number;
}

function outcome(
  data: string,
  what: string,
  scores: Record<string, Score>,
  training: Training,
  { min, max }: Gain,
): Outcome {
  const [withSignal = 0, without = 0] = Object.values(scores).map(({ ndcg }) => ndcg);
  return {
    table: 'What an additional signal adds (the test parts were scored a few times during development)',
    rows: Object.entries(scores).map(([model, { recall, ndcg }]) => ({
      data,
      what,
      model,
      Recall: formatScore(recall),
      NDCG: formatScore(ndcg),
    })),
    goals: [
      {
        text:
          `${data}, ${what}: NDCG ${formatScore(withSignal)} with the signal, ${formatScore(without)} without: ` +
          `${(withSignal / without).toFixed(2)} times (goal ${min} to ${max})`,
        reached: withSignal >= min * without && withSignal <= max * without,
      },
    ],
    figures: { scores, ...describe(training) },
  };
}

/** Removes all events of a tenth of the items, then predicts these events from the items' attributes. */
async function coldItems(executor: Executor): Promise<Outcome> {
  const n = 20;
  const lists = readLists('s3rec/Beauty.txt');
  const items = largest(lists.values()) + 1;
  const found = JSON.parse(readLines('s3rec/Beauty_item2attributes.json').join('')) as Record<
    string,
    number[]
  >;
  const values = Array.from({ length: items }, (_, item) => found[item] ?? []);
  const random = seededRandom(1);
  const cold = Array.from({ length: items }, () => random() < 0.1);
  const warm = new Map([...lists].map(([user, list]) => [user, list.filter((item) => !cold[item])]));
  const questions: Question[] = [...lists].map(([user, list]) => ({
    items: warm.get(user) ?? [],
    relevant: list.filter((item) => cold[item]),
  }));
  const itemAttributes = incidence(values, largest(values) + 1);
  const events = fromLists(warm, true, items);
  const training = await train({ events, itemAttributes }, executor);
  const without = await fitModel({ events }, executor, { ...training.parameters, map: null });
  const isWarm = (item: number) => !cold[item];
  return outcome(
    's3rec-beauty',
    'items without events, among themselves @20',
    {
      'with item attributes': measure(questions, n, byModel(training.model, n, isWarm)),
      without: measure(questions, n, byModel(without, n, isWarm)),
      'with item attributes, among all items': measure(questions, n, byModel(training.model, n)),
    },
    training,
    { min: 15, max: 25 },
  );
}

/** Of a fifth of the users, only age, sex and occupation are known. */
async function coldUsers(executor: Executor): Promise<Outcome> {
  const n = 20;
  const users = new Numbering();
  const items = new Numbering();
  const values = new Numbering();
  const attributes: number[][] = [];
  for (const line of readLines('ml-100k/u.user')) {
    const [id = '', age = '', sex = '', occupation = ''] = line.split('|');
    const decade = String(Math.floor(Number(age) / 10));
    attributes[users.of(id)] = [`age ${decade}`, `sex ${sex}`, `occupation ${occupation}`].map((value) =>
      values.of(value),
    );
  }
  const lists = new Map<number, { item: number; seconds: number }[]>();
  for (const line of readLines('ml-100k/u.data')) {
    const [user = '', item = '', , seconds] = line.split('\t');
    append(lists, users.of(user), { item: items.of(item), seconds: Number(seconds) });
  }
  const random = seededRandom(1);
  const known = new Map<number, number[]>();
  const questions: Question[] = [];
  for (const [user, list] of lists) {
    const history = list.sort((a, b) => a.seconds - b.seconds).map(({ item }) => item);
    if (random() < 0.2) questions.push({ items: [], attributes: attributes[user]!, relevant: history });
    else known.set(user, history);
  }
  const userAttributes = incidence(attributes, values.size);
  const training = await train({ events: fromLists(known, true, items.size), userAttributes }, executor);
  return outcome(
    'ml-100k',
    'users with attributes but no events @20',
    {
      'with user attributes': measure(questions, n, byModel(training.model, n)),
      'without (popularity)': measure(questions, n, byPopularity(known.values(), n)),
    },
    training,
    { min: 1.01, max: 1.15 },
  );
}

/** Purchases are the target and carts a second event type, both without times. Predicts one purchase per user. */
async function secondEventType(executor: Executor): Promise<Outcome> {
  const n = 10;
  const buys = readLists('taobao-buycart/train.txt');
  const carts = readLists('taobao-buycart/cart.txt');
  const relevant = readLists('taobao-buycart/test.txt');
  const items = Math.max(...[buys, carts, relevant].map((lists) => largest(lists.values()))) + 1;
  const both = new InteractionsBuilder();
  for (const [user, list] of buys) for (const item of list) both.push(user, item, 0);
  for (const [user, list] of carts) for (const item of list) both.push(user, item, 1);
  const training = await train({ events: both.build({ ordered: false, items }) }, executor);
  const without = await train({ events: fromLists(buys, false, items) }, executor);
  const plain: Question[] = [...relevant].map(([user, list]) => ({
    items: buys.get(user) ?? [],
    relevant: list,
  }));
  const hinted: Question[] = [...relevant].map(([user, list]) => {
    const bought = buys.get(user) ?? [];
    const carted = carts.get(user) ?? [];
    const types = [...bought.map(() => 0), ...carted.map(() => 1)];
    return { items: [...bought, ...carted], types, relevant: list };
  });
  return outcome(
    'taobao',
    'the next purchase @10',
    {
      'with carts': measure(hinted, n, byModel(training.model, n)),
      without: measure(plain, n, byModel(without.model, n)),
      popularity: measure(plain, n, byPopularity(buys.values(), n)),
    },
    training,
    { min: 3, max: 6 },
  );
}
