import { chooseWindow, sliceOf, type Trend, TrendBuilder } from '@tastegraph/algorithms';
import { append, Numbering, readLines } from './data.ts';
import { byPopularity, measure, type Question } from './measure.ts';
import { formatScore, type Outcome } from './outcome.ts';

interface Click {
  readonly user: number;
  readonly item: number;
  readonly hour: number;
}

const n = 20;
/** Each split knows this share of the events and predicts the next tenth. */
const splits = [0.6, 0.7, 0.8, 0.9];
const predictedShare = 0.1;
const type = 'event';
/** More than any user has seen. */
const listed = 500;

const data: Record<string, () => Click[]> = {
  movietweetings: () => read('movietweetings-100k/ratings.dat', '::', 3),
  yoochoose: () => read('yoochoose-100k/yoochoose-clicks-100k_train_full.txt', '\t', 2),
};

/** What is popular in the window that the service chooses, compared with what was popular since the beginning. */
export async function trending(): Promise<Outcome> {
  const rows: Record<string, string | number>[] = [];
  const goals: Outcome['goals'][number][] = [];
  for (const [name, open] of Object.entries(data)) {
    const clicks = open().sort((one, other) => one.hour - other.hour);
    const measured = splits.map((share) => measureSplit(clicks, share));
    rows.push(
      ...measured.map(({ share, hours, recent, allTime }) => ({
        data: name,
        'known events': share,
        'chosen window, hours': hours,
        'Recall@20, trending': formatScore(recent),
        'Recall@20, all time': formatScore(allTime),
      })),
    );
    const [recent, allTime] = [
      mean(measured.map((one) => one.recent)),
      mean(measured.map((one) => one.allTime)),
    ];
    goals.push({
      text: `trending, ${name}: Recall@20 ${formatScore(recent)}, more than popularity of all time, ${formatScore(allTime)}`,
      reached: recent > allTime,
    });
  }
  return {
    table: 'What is popular now, predicting later events of all users, all items',
    rows,
    goals,
    figures: { rows },
  };
}

function measureSplit(clicks: readonly Click[], share: number) {
  const cut = Math.floor(clicks.length * share);
  const known = clicks.slice(0, cut);
  const later = clicks.slice(cut, Math.floor(clicks.length * (share + predictedShare)));
  const histories = new Map<number, number[]>();
  for (const { user, item } of known) append(histories, user, item);
  const next = new Map<number, number[]>();
  for (const { user, item } of later) if (!histories.get(user)?.includes(item)) append(next, user, item);
  const questions: Question[] = [...next].map(([user, relevant]) => ({
    items: histories.get(user) ?? [],
    relevant,
  }));
  const trend = buildTrend(known, clicks[cut]!.hour);
  const hours = choose(trend);
  const list = trend.top(type, hours, listed).map(({ itemId }) => Number(itemId));
  return {
    share,
    hours,
    recent: measure(questions, n, ({ items }) => list.filter((item) => !items.includes(item)).slice(0, n))
      .recall,
    allTime: measure(questions, n, byPopularity(histories.values(), n)).recall,
  };
}

/** The counts that a serving process would have at this hour. */
function buildTrend(known: readonly Click[], now: number): Trend {
  const builder = new TrendBuilder();
  for (const { item, hour } of known.toReversed()) {
    const slice = sliceOf(now - hour);
    if (slice !== undefined) builder.add(slice, type, String(item), 1);
  }
  return builder.build();
}

function choose(trend: Trend): number {
  const steps = chooseWindow(trend, type);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function read(path: string, separator: string, timeColumn: number): Click[] {
  const users = new Numbering();
  const items = new Numbering();
  return readLines(path)
    .map((line) => line.split(separator))
    .filter((fields) => Number.isFinite(Number(fields[timeColumn])))
    .map((fields) => ({
      user: users.of(fields[0] ?? ''),
      item: items.of(fields[1] ?? ''),
      hour: Number(fields[timeColumn]) / 3600,
    }));
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
