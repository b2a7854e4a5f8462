import { type Executor } from '@tastegraph/algorithms';
import { type SearchOptions, train } from '@tastegraph/algorithms/g1';
import { append, fromLists, Numbering, readLines } from './data.ts';
import { byItemKnn, byModel, byPopularity, measure, type Question, type Score } from './measure.ts';
import { describe, formatScore, guardOf, type Outcome } from './outcome.ts';
import { isNewClick, readYoochoose } from './yoochoose.ts';

/** A data set in chronological order, split so that the predicted events are later than the known ones. */
interface Sequences {
  readonly name: string;
  readonly known: Map<number, number[]>;
  readonly questions: readonly Question[];
  readonly items: number;
  readonly n: number;
  readonly protocol: string;
  readonly search: SearchOptions;
  /** What G1 reached when last measured, what it should reach, and what would mean that predicted events have leaked. */
  readonly measured: Score;
  readonly goal?: Score;
  readonly max: Score;
  /** How often the predicted events were scored while the algorithm was developed. */
  readonly timesScored: string;
  readonly others: Record<string, Score>;
}

export const sequences: Record<string, () => Sequences> = {
  'ml-1m': leaveLastOut,
  movietweetings,
  yoochoose,
};

/** Trains with temporal validation on the known events, then again without using their order. */
export async function runSequences(name: string, executor: Executor): Promise<Outcome> {
  const data = sequences[name]!();
  const { known, questions, items, n, protocol, search, others, timesScored } = data;
  const timed = await train({ events: fromLists(known, true, items) }, executor, search);
  const untimed = await train({ events: fromLists(known, false, items) }, executor);
  const ours = measure(questions, n, byModel(timed.model, n));
  const without = measure(questions, n, byModel(untimed.model, n));
  const popular = measure(questions, n, byPopularity(known.values(), n));
  const knn = measure(questions, n, byItemKnn(known, items, n));
  const row = (model: string, { recall, ndcg }: Score, scored = '') => ({
    data: name,
    protocol,
    model,
    Recall: formatScore(recall),
    NDCG: formatScore(ndcg),
    'scored during development': scored,
  });
  return {
    table: 'With order and time (with one relevant item, Recall is the hit rate)',
    rows: [
      row('G1, {}', ours, timesScored),
      row('G1, {}, order not used', without, timesScored),
      row('popularity', popular),
      row('item-kNN, run by us', knn),
      ...Object.entries(others).map(([model, score]) => row(`${model}, published`, score)),
    ],
    goals: [guardOf(`${name}, ${protocol}`, ours, data)],
    figures: { ours, without_order: without, popular, knn, ...describe(timed) },
  };
}

function leaveLastOut(): Sequences {
  const histories = new Map<number, { item: number; order: number }[]>();
  const users = new Numbering();
  const items = new Numbering();
  for (const line of readLines('ml-1m/ratings_ordered.csv').slice(1)) {
    const [user = '', item = '', , order] = line.split(',');
    append(histories, users.of(user), { item: items.of(item), order: Number(order) });
  }
  const known = new Map<number, number[]>();
  const questions: Question[] = [];
  for (const [user, history] of histories) {
    const sorted = history.sort((a, b) => a.order - b.order).map(({ item }) => item);
    known.set(user, sorted.slice(0, -1));
    questions.push({ items: sorted.slice(0, -1), relevant: sorted.slice(-1) });
  }
  return {
    name: 'ml-1m',
    known,
    questions,
    items: items.size,
    n: 10,
    protocol: 'leave last out @10',
    // The same protocol on the known part: predict the last known event.
    search: { holdOut: 'last' },
    measured: { recall: 0.303, ndcg: 0.1816 },
    goal: { recall: 0.3003, ndcg: 0.1726 },
    // Far above the best published result.
    max: { recall: 0.33, ndcg: 0.2 },
    timesScored: 'dozens of times',
    others: {
      SASRec: { recall: 0.2392, ndcg: 0.1259 },
      BERT4Rec: { recall: 0.2843, ndcg: 0.1537 },
      gSASRec: { recall: 0.3003, ndcg: 0.1726 },
    },
  };
}

/** The last fifth of each user's ratings, for users with five or more. */
function movietweetings(): Sequences {
  const histories = new Map<number, { item: number; seconds: number }[]>();
  const users = new Numbering();
  const items = new Numbering();
  for (const line of readLines('movietweetings-100k/ratings.dat')) {
    const [user = '', item = '', , seconds] = line.split('::');
    append(histories, users.of(user), { item: items.of(item), seconds: Number(seconds) });
  }
  const known = new Map<number, number[]>();
  const questions: Question[] = [];
  for (const [user, history] of histories) {
    const sorted = history.sort((a, b) => a.seconds - b.seconds).map(({ item }) => item);
    const kept = sorted.length < 5 ? sorted.length : sorted.length - Math.round(sorted.length * 0.2);
    known.set(user, sorted.slice(0, kept));
    if (kept < sorted.length) questions.push({ items: sorted.slice(0, kept), relevant: sorted.slice(kept) });
  }
  return {
    name: 'movietweetings',
    known,
    questions,
    items: items.size,
    n: 20,
    protocol: "each user's last fifth @20",
    search: {},
    measured: { recall: 0.2651, ndcg: 0.1589 },
    max: { recall: 0.3, ndcg: 0.18 },
    others: {},
    timesScored: 'dozens of times',
  };
}

/** Later sessions: predicts each click on an item that is new in its session from the clicks before it. */
function yoochoose(): Sequences {
  const { questions, ...data } = readYoochoose();
  return {
    name: 'yoochoose',
    ...data,
    questions: questions.filter(isNewClick),
    n: 20,
    protocol: 'next new click @20',
    search: { holdOut: 'last' },
    measured: { recall: 0.5544, ndcg: 0.3279 },
    max: { recall: 0.64, ndcg: 0.38 },
    others: {},
    timesScored: 'a few times',
  };
}
