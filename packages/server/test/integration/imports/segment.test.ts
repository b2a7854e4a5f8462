import { gzipSync } from 'node:zlib';
import { type Response as Answer, limits, segmentPaths } from '@tastegraph/contract';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { api, caller, problem, test } from '../stack/stack.ts';

let event_dataset_id: string;
let user_dataset_id: string;
let key: Answer<'createWriteKey'>;

test.beforeAll(async () => {
  ({ event_dataset_id } = await caller.call('createEventDataset', { name: 'events', num_shards: 1 }));
  ({ user_dataset_id } = await caller.call('createUserDataset', {
    name: 'users',
    num_shards: 1,
    attribute_schema: { age: 'NUMERICAL' },
  }));
  key = await caller.call('createWriteKey', { name: 'segment', event_dataset_id, user_dataset_id });
});

const basic = (user: string) => `Basic ${Buffer.from(`${user}:`).toString('base64')}`;

async function post(path: string, body: unknown, writeKey = key.write_key) {
  const response = await fetch(`${api.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: basic(writeKey), 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const track = (messageId: string, fields: object = {}) => ({
  messageId,
  userId: 'anna',
  event: 'Product Viewed',
  timestamp: '2026-01-05T10:00:00.000Z',
  properties: { product_id: 'p1' },
  ...fields,
});
const countOf = async (id: string) =>
  (await caller.call('getEventDataset', { event_dataset_id: id })).record_count;

describe('the endpoint for Segment', () => {
  test('writes an event once, however often it is sent', async () => {
    const before = await countOf(event_dataset_id);
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await post(segmentPaths.track, track('once'))).toEqual({
        status: 200,
        body: { success: true, written: 1, ignored: {}, failed_count: 0, failures: [] },
      });
    expect(await countOf(event_dataset_id)).toBe(before + 1);
    expect(await caller.call('getDatasetEvent', { event_dataset_id, event_id: 'once' })).toMatchObject({
      user_id: 'anna',
      item_id: 'p1',
      event_type: 'Product Viewed',
      ts: Date.parse('2026-01-05T10:00:00.000Z'),
    });
  });

  test('merges the traits of a user', async () => {
    const identify = (traits: object) => post(segmentPaths.identify, { userId: 'ben', traits });
    await identify({ plan: 'free', age: 30, address: { city: 'Bern' } });
    expect(await identify({ plan: 'pro' })).toMatchObject({ status: 200, body: { written: 1 } });
    expect(await caller.call('getDatasetUser', { user_dataset_id, user_id: 'ben' })).toEqual({
      user_id: 'ben',
      attributes: { plan: 'pro', age: 30 },
    });
  });

  test('writes what it can of a batch, and reports the rest with the index of the message', async () => {
    const batch = [
      { type: 'track', ...track('b0') },
      { type: 'page', userId: 'anna', name: 'Home' },
      { type: 'track', ...track('b2', { event: 'x'.repeat(101) }) },
      { type: 'identify', userId: 'carl', traits: { age: 'old' } },
      { type: 'track', ...track('b4', { properties: { products: [{ sku: 's1' }, { sku: 's2' }] } }) },
      { type: 'identify', userId: 'dora', traits: { age: 40 } },
      { type: 'track', event: 'Signed Up', userId: 'dora' },
    ];
    const { status, body } = await post(segmentPaths.batch, { batch, sentAt: new Date().toISOString() });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        success: true,
        written: 4,
        ignored: { page: 1, track_without_item: 1 },
        failed_count: 2,
        failures: [
          { index: 2, id: 'b2', code: 'FIELD_INVALID' },
          { index: 3, id: 'carl', code: 'ATTRIBUTE_TYPE' },
        ],
      },
    });
    const { events } = await caller.call('listDatasetEvents', { event_dataset_id, user_id: 'anna' });
    expect(events.map(({ event_id }) => event_id)).toEqual(expect.arrayContaining(['b0', 'b4:0', 'b4:1']));
  });

  test('accepts all calls of the clients', async () => {
    for (const type of ['page', 'screen', 'group', 'alias'] as const)
      expect(await post(segmentPaths[type], { userId: 'anna' })).toMatchObject({
        status: 200,
        body: { success: true, written: 0, ignored: { [type]: 1 } },
      });
  });

  test('ignores traits if the key has no user dataset', async () => {
    const { write_key } = await caller.call('createWriteKey', { name: 'events only', event_dataset_id });
    const message = { userId: 'nobody', traits: { age: 1 } };
    expect(await post(segmentPaths.identify, message, write_key)).toMatchObject({
      body: { written: 0, ignored: { identify_without_dataset: 1 } },
    });
    expect(await caller.ask('getDatasetUser', { user_dataset_id, user_id: 'nobody' })).toMatchObject({
      status: 404,
    });
  });

  test('refuses other credentials, before it reads the body', async () => {
    const { apiKey, apiSecret } = caller.credentials;
    const wrong = [
      basic('wrong'),
      basic(`${key.api_key}_${'0'.repeat(43)}`),
      `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}`,
      (await caller.headers())['authorization'] ?? '',
    ];
    for (const authorization of wrong)
      for (const path of Object.values(segmentPaths)) {
        const headers = { authorization, 'content-type': 'application/json' };
        const response = await fetch(`${api.baseUrl}${path}`, { method: 'POST', headers, body: '{' });
        expect({ path, status: response.status }).toEqual({ path, status: 401 });
        expect(await response.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
      }
  });

  test('refuses what is too large with a status that clients do not retry', async () => {
    const large = { batch: [{ type: 'page', text: 'x'.repeat(limits.segmentBodyBytes) }] };
    expect(await post(segmentPaths.batch, large)).toMatchObject({ status: 413 });
    const zipped = await fetch(`${api.baseUrl}${segmentPaths.batch}`, {
      method: 'POST',
      headers: {
        authorization: basic(key.write_key),
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: gzipSync(JSON.stringify(large)),
    });
    expect(zipped.status).toBe(413);
    const products = Array.from({ length: 100 }, (_, n) => ({ sku: n }));
    const batch = Array.from({ length: 26 }, (_, n) => ({
      type: 'track',
      ...track(`many${n}`, { properties: { products } }),
    }));
    expect(await post(segmentPaths.batch, { batch })).toMatchObject(problem(413, 'TOO_MANY_RECORDS'));
    expect(await post(segmentPaths.batch, { batch: batch.slice(0, 25) })).toMatchObject({
      status: 200,
      body: { written: 2500 },
    });
  });

  test('answers any body with 200 or 4xx', async () => {
    const { event_dataset_id: fuzzed } = await caller.call('createEventDataset', {
      name: 'fuzzed',
      num_shards: 1,
    });
    const { write_key } = await caller.call('createWriteKey', {
      name: 'fuzz',
      event_dataset_id: fuzzed,
      user_dataset_id,
    });
    const field = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('track', 'identify', '\0', '\ud800', 'anna', 1e308),
    );
    const fields = ['type', 'event', 'userId', 'messageId', 'properties', 'traits', 'timestamp', 'batch'];
    const message = fc.dictionary(fc.constantFrom(...fields), field);
    const bodies = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      message,
      fc.record({ batch: fc.array(fc.oneof(message, fc.jsonValue({ maxDepth: 2 }))), sentAt: field }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.values(segmentPaths)), bodies, async (path, body) => {
        const { status } = await post(path, body, write_key);
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 150 },
    );
    for (const broken of ['', '{', '[]', 'null', '7', '{"batch":1}', '{"batch":{}}'])
      expect((await post(segmentPaths.batch, broken, write_key)).status).toBe(400);
  });
});
