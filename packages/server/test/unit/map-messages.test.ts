import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRecord } from '../../src/datasets/records/check-record.ts';
import { mapMessages } from '../../src/imports/map-messages.ts';

const receivedAtMs = Date.parse('2026-01-05T10:00:00.000Z');
const map = (messages: readonly unknown[], sentAt?: unknown, hasUsers = true) =>
  mapMessages(messages, { receivedAtMs, sentAt, hasUsers });
const track = (fields: object) => ({
  type: 'track',
  messageId: 'm1',
  userId: 'anna',
  event: 'Product Viewed',
  properties: { product_id: 'p1' },
  ...fields,
});
const eventsOf = (message: object, sentAt?: unknown) =>
  map([message], sentAt).events.map(({ record }) => record);

describe('a track message', () => {
  test('is an event whose ID is that of the message, so that a retry changes nothing', () => {
    expect(eventsOf(track({}))).toEqual([
      { event_id: 'm1', user_id: 'anna', item_id: 'p1', event_type: 'Product Viewed', ts: receivedAtMs },
    ]);
  });

  test('is of the anonymous user if there is no other, and IDs may be numbers', () => {
    expect(eventsOf(track({ userId: null, anonymousId: 'a1' }))).toMatchObject([{ user_id: 'a1' }]);
    expect(eventsOf(track({ userId: 7, properties: { product_id: 9 } }))).toMatchObject([
      { user_id: '7', item_id: '9' },
    ]);
  });

  test('has its item in product_id, item_id or sku', () => {
    const itemOf = (properties: object) => eventsOf(track({ properties }))[0]?.['item_id'];
    expect(itemOf({ sku: 's', item_id: 'i', product_id: 'p' })).toBe('p');
    expect(itemOf({ sku: 's', item_id: 'i', product_id: '' })).toBe('i');
    expect(itemOf({ sku: 's' })).toBe('s');
  });

  test('has the rating or the quantity as its value, and never a price', () => {
    const valueOf = (properties: object) =>
      eventsOf(track({ properties: { sku: 's', ...properties } }))[0]?.['event_value'];
    expect(valueOf({ quantity: 3, price: 90, revenue: 270, value: 270 })).toBe(3);
    expect(valueOf({ rating: 4.5, quantity: 2 })).toBe(4.5);
    expect(valueOf({ quantity: 0 })).toBe(0);
    for (const quantity of [-1, '3', null, Infinity]) expect(valueOf({ quantity })).toBeUndefined();
  });

  test('keeps the other properties as attributes, and is attributed to a recommendation', () => {
    const properties = { product_id: 'p1', price: 9, recommendation_id: 'rec_1', nested: { a: [1] } };
    expect(eventsOf(track({ properties }))).toMatchObject([
      { recommendation_id: 'rec_1', attributes: { price: 9, nested: { a: [1] } } },
    ]);
  });

  test('counts without attributes that cannot be stored', () => {
    const unfit = [{ text: 'x'.repeat(20_000) }, { nul: '\0' }, { lone: '\ud800' }];
    for (const properties of unfit) {
      const [event] = eventsOf(track({ properties: { product_id: 'p1', ...properties } }));
      expect(event).not.toHaveProperty('attributes');
      expect(checkRecord('event', event)).toBeUndefined();
    }
  });

  test('with products is an event for each of them, with the same IDs on each retry', () => {
    const products = [{ product_id: 'p1', quantity: 2, price: 3 }, { sku: 's2' }, { name: 'without ID' }, 7];
    const message = track({ properties: { order_id: 'o1', recommendation_id: 'rec_1', products } });
    const { events, ignored } = map([message]);
    expect(events.map(({ record }) => record)).toMatchObject([
      {
        event_id: 'm1:0',
        item_id: 'p1',
        event_value: 2,
        recommendation_id: 'rec_1',
        attributes: { order_id: 'o1', price: 3 },
      },
      { event_id: 'm1:1', item_id: 's2', attributes: { order_id: 'o1' } },
    ]);
    expect([...ignored]).toEqual([['track_without_item', 2]]);
    expect(map([message]).events).toEqual(events);
  });

  test('has the time of the message, corrected by the clock of the sender', () => {
    const tsOf = (fields: object, sentAt?: unknown) => eventsOf(track(fields), sentAt)[0]?.['ts'];
    const timestamp = '2026-01-05T08:59:00.000Z';
    expect(tsOf({ timestamp })).toBe(Date.parse(timestamp));
    // The clock of the sender is an hour late: the event happened a minute before it was received.
    expect(tsOf({ timestamp, sentAt: '2026-01-05T09:00:00.000Z' })).toBe(receivedAtMs - 60_000);
    expect(tsOf({ timestamp }, '2026-01-05T09:00:00.000Z')).toBe(receivedAtMs - 60_000);
    expect(tsOf({ timestamp, sentAt: 'nonsense' })).toBe(Date.parse(timestamp));
  });

  test('that can never be written says why', () => {
    const wrong = [
      [track({ userId: undefined }), 'FIELD_MISSING'],
      [track({ event: undefined }), 'FIELD_MISSING'],
      [track({ timestamp: 'yesterday' }), 'FIELD_INVALID'],
      [track({ timestamp: 1 }), 'FIELD_INVALID'],
      [track({ properties: { products: Array(101).fill({ sku: 's' }) } }), 'FIELD_INVALID'],
      ['text', 'FIELD_INVALID'],
    ] as const;
    for (const [message, code] of wrong)
      expect(map(['', message]).failed[1]).toMatchObject({ index: 1, code });
  });
});

test('an identify message changes the traits of the user that can be attributes', () => {
  const traits = { plan: 'pro', age: 7, tags: ['a', 1], gone: null, address: { city: 'Bern' }, list: [{}] };
  expect(map([{ type: 'identify', userId: 'anna', traits }]).users).toEqual([
    {
      index: 0,
      record: { user_id: 'anna', attributes: { plan: 'pro', age: 7, tags: ['a', 1], gone: null } },
    },
  ]);
});

test('what has no meaning here is counted and ignored', () => {
  const types = ['page', 'page', 'screen', 'group', 'alias', 'other', 7, undefined];
  const messages = types.map((type) => ({ type, userId: 'anna' }));
  const identify = { type: 'identify', userId: 'anna' };
  const { ignored } = map([...messages, identify, track({ properties: {} })], undefined, false);
  expect(Object.fromEntries(ignored)).toEqual({
    page: 2,
    screen: 1,
    group: 1,
    alias: 1,
    unknown_type: 3,
    identify_without_dataset: 1,
    track_without_item: 1,
  });
});

test('any JSON is mapped to records of bounded number, and no message is lost', () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const names = [
    'userId',
    'anonymousId',
    'event',
    'timestamp',
    'sentAt',
    'messageId',
    'properties',
    'traits',
  ];
  const inner = [
    'product_id',
    'sku',
    'quantity',
    'products',
    'recommendation_id',
    '__proto__',
    'constructor',
  ];
  const likely = fc.oneof(
    value,
    fc.constantFrom('', 'a', '2026-01-05T09:00:00Z', '9999-12-31', '0001-01-01', 1e308),
    fc.dictionary(fc.constantFrom(...inner), value),
    fc.dictionary(
      fc.constantFrom(...inner),
      fc.array(fc.dictionary(fc.constantFrom(...inner), value), { maxLength: 3 }),
    ),
  );
  const message = fc.oneof(
    value,
    fc
      .tuple(
        fc.constantFrom('track', 'track', 'identify', 'page', 'x'),
        fc.dictionary(fc.constantFrom(...names), likely),
      )
      .map(([type, fields]) => ({ ...fields, type })),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), value, fc.boolean(), (messages, sentAt, hasUsers) => {
      const { events, users, failed, ignored } = map(messages, sentAt, hasUsers);
      const seen = new Set([...events, ...users, ...failed].map(({ index }) => index));
      const ignoredCount = [...ignored.values()].reduce((sum, count) => sum + count, 0);
      expect(seen.size + ignoredCount).toBeGreaterThanOrEqual(messages.length);
      expect(events.length).toBeLessThanOrEqual(100 * messages.length);
      for (const { record } of events) {
        expect(Object.keys(record)).toEqual(expect.arrayContaining(['event_id', 'user_id', 'item_id', 'ts']));
        // A refusal names the field; it never throws.
        checkRecord('event', structuredClone(record));
      }
      for (const { record } of users) checkRecord('user', structuredClone(record), 'MERGE');
    }),
    { numRuns: 100 },
  );
});
