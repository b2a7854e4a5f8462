import { seededRandom } from '@tastegraph/algorithms';

export interface Event {
  readonly event_id: string;
  readonly user_id: string;
  readonly item_id: string;
  readonly ts: number;
  readonly event_type: string;
}

const startTs = 1_700_000_000_000;
const yearMs = 365 * 24 * 3600 * 1000;

/**
 * An endless stream of synthetic events, as of a shop: popularity with a long tail, users with few and many events, IDs
 * built from user, item and time as the API's documentation recommends, and random times, as in an import of old data.
 */
export function* generateEvents(seed: number): Generator<Event, never> {
  const random = seededRandom(seed);
  for (;;) {
    const user_id = `user-${Math.floor(random() ** 2 * 200_000)}`;
    const item_id = `item-${Math.floor(random() ** 3 * 50_000)}`;
    const ts = startTs + Math.floor(random() * yearMs);
    yield {
      event_id: `${user_id}-${item_id}-${ts}`,
      user_id,
      item_id,
      ts,
      event_type: random() < 0.9 ? 'view' : 'buy',
    };
  }
}

export const eventsPerCall = 1000;

/** Takes the next batches of the stream. */
export function takeBatches(events: Generator<Event, never>, count: number): Event[][] {
  return Array.from({ length: count }, () =>
    Array.from({ length: eventsPerCall }, () => events.next().value),
  );
}
