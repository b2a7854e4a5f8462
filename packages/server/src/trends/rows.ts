import { type DatasetLocation, isSameDataset } from '../datasets/rows/datasets.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';

/** A time span, both in milliseconds: after `fromTs`, up to and including `toTs`. */
export interface TimeSpan {
  readonly fromTs: number;
  readonly toTs: number;
}

export interface CountedSpan {
  /** The place of the span in the request. */
  readonly place: number;
  readonly events: number;
  /** The time of the oldest event that was counted. */
  readonly oldestTs: number;
  /** Flat: item, type and number of events. Ordered by item. */
  readonly counts: readonly string[];
}

/** Fields per count in `CountedSpan.counts`. */
export const countFields = 3;

/** Counts the newest `maxEvents` of each span by item and type, from the index by time. Spans without events are absent. */
export async function countEvents(
  db: Queryable,
  { id, key, table }: DatasetLocation,
  spans: readonly TimeSpan[],
  maxEvents: number,
): Promise<CountedSpan[]> {
  const rows = await db.rows<{ place: number; events: number; oldest: number; counts: string }>(
    {
      name: `count_events_${table}`,
      text: `SELECT (span.place - 1)::int AS place, sum(grouped.events)::int AS events,
          min(grouped.oldest)::float8 AS oldest,
          string_agg(grouped.item_id || E'\\x1f' || grouped.event_type || E'\\x1f' || grouped.events, E'\\x1f'
            ORDER BY grouped.item_id, grouped.event_type) AS counts
        FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS span (from_ts, to_ts, place), LATERAL (
          SELECT newest.item_id, newest.event_type, count(*)::int AS events, min(newest.ts) AS oldest FROM (
            SELECT item_id, event_type, ts FROM ${table}
            WHERE dataset_key = $1 AND ts > span.from_ts AND ts <= span.to_ts ORDER BY ts DESC LIMIT $4) newest
          GROUP BY newest.item_id, newest.event_type) grouped
        WHERE ${isSameDataset('$1', '$5')} GROUP BY span.place ORDER BY span.place`,
    },
    [key, spans.map(({ fromTs }) => fromTs), spans.map(({ toTs }) => toTs), maxEvents, id],
  );
  return rows.map(({ place, events, oldest, counts }) => ({
    place,
    events,
    oldestTs: oldest,
    counts: counts.split('\u001f'),
  }));
}
