import { seededRandom } from '@tastegraph/algorithms';
import { type Answer, answerId, newAnswer } from './answer-log.ts';

export interface VolumeShape {
  readonly account_id: string;
  readonly project_id: string;
  readonly answers: number;
  readonly days: number;
  readonly fromDay: number;
}

export const dayMs = 24 * 3600_000;
const users = 500_000;
const items = 100_000;
const perAnswer = 10;
/** The answers of a day are in this part of it. */
export const partOfDay = 0.1;
/** One event per so many answers; half of them name their answer. */
const eventEvery = 20;

/** The n-th answer; always the same. In order of time. */
export function answerAt(shape: VolumeShape, n: number): Answer {
  const random = seededRandom(n + 1);
  const perDay = Math.ceil(shape.answers / shape.days);
  const day = shape.fromDay + Math.floor(n / perDay);
  const ts = day * dayMs + Math.floor(((n % perDay) / perDay) * partOfDay * dayMs);
  return newAnswer({
    recommendation_id: answerId(ts, random),
    account_id: shape.account_id,
    project_id: shape.project_id,
    ts,
    user_id: `user-${Math.floor(random() ** 2 * users)}`,
    model_id: n % 2 === 0 ? 'mdl_one' : 'mdl_other',
    item_ids: Array.from({ length: perAnswer }, () => `item-${Math.floor(random() ** 2 * items)}`),
    detail: {
      scores: Array.from({ length: perAnswer }, () => Math.fround(random())),
      degraded: [],
      request: { limit: perAnswer, filter_query: 'item.in_stock' },
    },
  });
}

export function* answersOf(shape: VolumeShape): Generator<Answer> {
  for (let n = 0; n < shape.answers; n++) yield answerAt(shape, n);
}

export function* eventsOf(shape: VolumeShape) {
  for (let n = 0; n < shape.answers; n += eventEvery) {
    const { recommendation_id, user_id, item_ids, ts } = answerAt(shape, n);
    const isNamed = n % (2 * eventEvery) === 0;
    yield {
      event_id: `e${n}`,
      user_id: user_id ?? '',
      item_id: item_ids[n % perAnswer] ?? '',
      ts: ts + 60_000,
      event_type: n % (4 * eventEvery) < 2 * eventEvery ? 'buy' : 'view',
      ...(isNamed && { recommendation_id }),
    };
  }
}
