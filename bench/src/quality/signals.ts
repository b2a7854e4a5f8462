import {
  type Executor,
  fitModel,
  InteractionsBuilder,
  seededRandom,
  type Training,
  train,
} from '@tastegraph/algorithms';
import { append, fromLists, incidence, largest, Numbering, readLines, readLists } from './data.ts';
import { byModel, byPopularity, measure, type Question, type Score } from './measure.ts';
import { describe, type Outcome, place } from './outcome.ts';

/** Data sets that bear one further kind of evidence, each with it and without. */
export const signals: Record<string, (executor: Executor) => Promise<Outcome>> = {
  's3rec-beauty': coldItems,
  'ml-100k': coldUsers,
  taobao: secondEventType,
};

/** What the first of the scores may be in terms of the second: less is a loss, more knows what is to be predicted. */
interface Gain {
  readonly least: number;
  readonly most: number;
}

function outcome(
  data: string,
  what: string,
  scores: Record<string, Score>,
  training: Training,
  { least, most }: Gain,
): Outcome {
  const [withSignal = 0, without = 0] = Object.values(scores).map(({ ndcg }) => ndcg);
  return {
    table: 'What a further signal adds (the predicted parts had been seen a few times before)',
    rows: Object.entries(scores).map(([who, { recall, ndcg }]) => ({
      ...{ data, what, who },
      Recall: place(recall),
      NDCG: place(ndcg),
    })),
    goals: [
      {
        text:
          `${data}, ${what}: NDCG ${place(withSignal)} with the signal, ${place(without)} without: ` +
          `${(withSignal / without).toFixed(2)} times (goal ${least} to ${most})`,
        reached: withSignal >= least * without && withSignal <= most * without,
      },
    ],
    figures: { scores, ...describe(training) },
  };
}

/** One item in ten loses all its events; who had it is then to be predicted among such items, from its attributes. */
async function coldItems(executor: Executor): Promise<Outcome> {
  const n = 20;
  const lists = readLists('s3rec/Beauty.txt');
  const items = largest(lists.values()) + 1;
  const random = seededRandom(1);
  const cold = Array.from({ length: items }, () => random() < 0.1);
  const warm = new Map([...lists].map(([user, list]) => [user, list.filter((item) => !cold[item])]));
  const questions: Question[] = [...lists].map(([user, list]) => ({
    items: warm.get(user) ?? [],
    wanted: list.filter((item) => cold[item]),
  }));
  const values = JSON.parse(readLines('s3rec/Beauty_item2attributes.json').join('')) as Record<
    string,
    number[]
  >;
  const rows = Array.from({ length: items }, (_, item) => values[item] ?? []);
  const itemAttributes = incidence(rows, largest(rows) + 1);
  const events = fromLists(warm, true, items);
  const training = await train({ events, itemAttributes }, executor);
  const without = await fitModel({ events }, executor, { ...training.parameters, gamma: 0 });
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
    { least: 5, most: 20 },
  );
}

/** One user in five is unknown to the training but for age, sex and occupation. */
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
    if (random() < 0.2) questions.push({ items: [], attributes: attributes[user]!, wanted: history });
    else known.set(user, history);
  }
  const userAttributes = incidence(attributes, values.size);
  const training = await train({ events: fromLists(known, true, items.size), userAttributes }, executor);
  return outcome(
    'ml-100k',
    'users of whom only attributes are known @20',
    {
      'with user attributes': measure(questions, n, byModel(training.model, n)),
      'without (popularity)': measure(questions, n, byPopularity(known.values(), n)),
    },
    training,
    { least: 1.01, most: 1.15 },
  );
}

/** Purchases are the target; carts come as a second type. One purchase a user is to be predicted. */
async function secondEventType(executor: Executor): Promise<Outcome> {
  const n = 10;
  const buys = readLists('taobao-buycart/train.txt');
  const carts = readLists('taobao-buycart/cart.txt');
  const wanted = readLists('taobao-buycart/test.txt');
  const items = Math.max(...[buys, carts, wanted].map((lists) => largest(lists.values()))) + 1;
  const both = new InteractionsBuilder();
  for (const [user, list] of buys) for (const item of list) both.push(user, item, 0);
  for (const [user, list] of carts) for (const item of list) both.push(user, item, 1);
  const training = await train({ events: both.build({ ordered: false, items }) }, executor);
  const without = await train({ events: fromLists(buys, false, items) }, executor);
  const plain: Question[] = [...wanted].map(([user, list]) => ({
    items: buys.get(user) ?? [],
    wanted: list,
  }));
  const hinted = [...wanted].map(([user, list]): Question => {
    const bought = buys.get(user) ?? [];
    const carted = carts.get(user) ?? [];
    const types = [...bought.map(() => 0), ...carted.map(() => 1)];
    return { items: [...bought, ...carted], types, wanted: list };
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
    { least: 3, most: 6 },
  );
}
