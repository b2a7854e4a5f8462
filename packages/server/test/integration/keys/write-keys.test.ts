import { endpoints, type OperationName, operationNames, type Response } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { signedIn } from '../stack/browser.ts';
import { answer, type Caller, limitedTo, requestOf, withoutIds } from '../stack/caller.ts';
import { api, caller, perFile, problem, test } from '../stack/stack.ts';

let eventDatasetId: string;
let otherDatasetId: string;
let key: Response<'createWriteKey'>;

const stranger = perFile(() => api.newCaller(), test);

test.beforeAll(async () => {
  eventDatasetId = await createEventDataset(caller);
  otherDatasetId = await createEventDataset(caller);
  key = await create(caller, eventDatasetId);
});

async function createEventDataset(owner: Caller): Promise<string> {
  return (await owner.call('createEventDataset', { name: 'events', num_shards: 1 })).event_dataset_id;
}

const create = (owner: Caller, event_dataset_id: string) =>
  owner.call('createWriteKey', { name: 'kafka', event_dataset_id });

const event = (event_id: string) => ({ event_id, user_id: 'u', item_id: 'i', ts: 1, event_type: 'view' });

type Headers = Record<string, string>;
const bearer = (writeKey: string): Headers => ({ authorization: `Bearer ${writeKey}` });
const basic = (user: string): Headers => ({
  authorization: `Basic ${Buffer.from(user).toString('base64')}`,
});

const send = async (name: OperationName, request: unknown, headers: Headers) => {
  const { status, body } = await answer(await fetch(...requestOf(api.baseUrl, name, request, headers)));
  return { status, body: body as Record<string, unknown> & { code?: string } };
};
const upsert = (headers: Headers, request: object = {}) => {
  const one = { event_dataset_id: eventDatasetId, events: [event('e1')] };
  return send('upsertDatasetEvents', { ...one, ...request }, headers);
};

describe('a write key', () => {
  test('writes events without a token, as a bearer token and by Basic authentication', async () => {
    const sent: [string, Headers][] = [
      ['bearer', bearer(key.write_key)],
      ['bearer with its API key', { ...bearer(key.write_key), apikey: key.api_key }],
      ['basic', basic(`${key.write_key}:`)],
      ['basic without a colon', basic(key.write_key)],
      ['basic with a password', basic(`${key.write_key}:anything`)],
    ];
    for (const [event_id, headers] of sent) {
      const { status, body } = await upsert(headers, { events: [event(event_id)] });
      expect([event_id, status, body['succeed_ids']]).toEqual([event_id, 200, [event_id]]);
    }
    const request = { event_dataset_id: eventDatasetId, event_id: 'bearer' };
    expect(await caller.call('getDatasetEvent', request)).toMatchObject(event('bearer'));
  });

  test('calls no other operation', async () => {
    const others = operationNames.filter((name) => name !== 'upsertDatasetEvents');
    for (const name of others)
      for (const headers of [bearer(key.write_key), basic(`${key.write_key}:`)]) {
        const { status, body } = await send(name, {}, headers);
        expect({ name, status, code: body.code }).toEqual({ name, status: 403, code: 'SCOPE_MISSING' });
      }
  });

  test('writes to no other dataset, and does not learn which ones exist', async () => {
    const foreign = await createEventDataset(stranger);
    const answers = [];
    for (const event_dataset_id of [otherDatasetId, foreign, 'eds_00000000000000000000000000', ''])
      answers.push(await upsert(bearer(key.write_key), { event_dataset_id }));
    for (const { status, body } of answers) {
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'SCOPE_MISSING' });
      expect(withoutIds(body as never)).toEqual(withoutIds(answers[0]?.body as never));
    }
    const { record_count } = await caller.call('getEventDataset', { event_dataset_id: otherDatasetId });
    expect(record_count).toBe(0);
  });

  test('merges no events', async () => {
    const before = { ...event('whole'), attributes: { secret: 1 } };
    await caller.call('upsertDatasetEvents', { event_dataset_id: eventDatasetId, events: [before] });
    const change = { event_id: 'whole', event_type: 'buy' };
    expect(await upsert(bearer(key.write_key), { mode: 'MERGE', events: [change] })).toMatchObject(
      problem(403, 'SCOPE_MISSING'),
    );
    const request = { event_dataset_id: eventDatasetId, event_id: 'whole' };
    expect(await caller.call('getDatasetEvent', request)).toMatchObject(before);
  });

  test('is not exchanged for a token in any form', async () => {
    const [secret = ''] = key.write_key.split('_').slice(-1);
    const pairs = [
      [key.api_key, secret],
      [key.api_key, `tgs_${secret}`],
      [key.api_key, key.write_key],
      [key.write_key, secret],
      [key.write_key, ''],
    ];
    for (const [client_id = '', client_secret = ''] of pairs) {
      const scope = '/upsert-dataset-events';
      const body = new URLSearchParams({ client_id, client_secret: client_secret || 'x', scope });
      const response = await fetch(`${api.baseUrl}/oauth/token`, { method: 'POST', body });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: 'invalid_client' });
    }
  });

  test('is refused if any part of it is wrong', async () => {
    const other = await create(caller, eventDatasetId);
    const last = key.write_key.endsWith('A') ? 'B' : 'A';
    const secretOf = ({ write_key, api_key }: typeof key) => write_key.slice(api_key.length + 1);
    const wrong: Headers[] = [
      bearer(`${key.write_key.slice(0, -1)}${last}`),
      bearer(`${key.api_key}_${secretOf(other)}`),
      bearer(key.write_key.toLowerCase()),
      bearer(key.api_key),
      bearer(secretOf(key)),
      bearer(`${key.write_key} `.repeat(2)),
      bearer(`tg_main_${'0'.repeat(24)}_${secretOf(key)}`),
      // The secret of an API key does not make it a write key.
      bearer(`${caller.credentials.apiKey}_${caller.credentials.apiSecret.replace('tgs_', '')}`),
      basic(`${key.api_key}:${secretOf(key)}`),
      basic(`:${key.write_key}`),
      { ...bearer(key.write_key), apikey: caller.credentials.apiKey },
      { ...bearer(key.write_key), apikey: other.api_key },
      { apikey: key.write_key },
      { apikey: key.api_key, authorization: key.write_key },
      // A token of another key does not help it.
      { apikey: key.api_key, authorization: `Bearer ${await caller.token()}` },
    ];
    for (const [index, headers] of wrong.entries()) {
      const { status, body } = await upsert(headers);
      expect({ index, status, code: body.code }).toEqual({ index, status: 401, code: 'UNAUTHENTICATED' });
    }
  });

  test('is refused before its body is read', async () => {
    const headers = { ...bearer(`tg_main_${'0'.repeat(24)}_${'0'.repeat(43)}`), 'content-type': 'x/y' };
    const url = `${api.baseUrl}${endpoints.upsertDatasetEvents[1]}`;
    expect((await fetch(url, { method: 'POST', headers, body: '{' })).status).toBe(401);
  });

  test('stops working within two seconds of its revocation', async () => {
    const revoked = await create(caller, eventDatasetId);
    expect(await upsert(bearer(revoked.write_key))).toMatchObject({ status: 200 });
    await caller.call('revokeApiKey', { api_key: revoked.api_key });
    const status = async () => (await upsert(bearer(revoked.write_key))).status;
    await expect.poll(status, { timeout: 2500, interval: 100 }).toBe(401);
  });

  test('is stored only as a hash, and neither listed nor audited', async () => {
    const secret = key.write_key.slice(key.api_key.length + 1);
    const [row] = await api.rows<{ text: string }>(
      `SELECT (SELECT json_agg(k)::text FROM api_keys k) || (SELECT json_agg(a)::text FROM audit_events a) AS text`,
    );
    const listed = JSON.stringify(await caller.call('listApiKeys', {}));
    const audit = JSON.stringify(await caller.call('listAuditEvents', { operation: '/create-write-key' }));
    for (const text of [row?.text ?? '', listed, audit]) {
      expect(text).toContain(key.api_key);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  test('is listed with its dataset, renamed, and counted as the caller', async () => {
    const { api_key } = await create(caller, eventDatasetId);
    expect(await caller.call('updateApiKey', { api_key, name: 'renamed' })).toMatchObject({
      name: 'renamed',
      operations: ['/upsert-dataset-events'],
      event_dataset_id: eventDatasetId,
      user_dataset_id: null,
    });
    expect(await caller.ask('updateApiKey', { api_key, operations: ['/get-job'] })).toMatchObject(
      problem(400, 'INVALID_REQUEST'),
    );
    const used = async () => (await caller.call('getApiKey', { api_key: key.api_key })).last_used_ts;
    await expect.poll(used, { timeout: 30_000 }).toBeTypeOf('number');
    const usage = async () => JSON.stringify(await caller.call('getUsage', {}));
    await expect.poll(usage, { timeout: 30_000 }).toContain(key.api_key);
  });
});

describe('a write key is created', () => {
  test('only for datasets of the account', async () => {
    const foreign = await createEventDataset(stranger);
    const requests = [
      { event_dataset_id: foreign },
      { event_dataset_id: eventDatasetId, user_dataset_id: 'uds_00000000000000000000000000' },
      { event_dataset_id: eventDatasetId, user_dataset_id: eventDatasetId },
    ];
    for (const request of requests)
      expect(await caller.ask('createWriteKey', { name: 'x', ...request })).toMatchObject(
        problem(404, 'NOT_FOUND'),
      );
  });

  test('only by those who may write the records themselves', async () => {
    const { accountId } = caller.credentials;
    const editor = await signedIn(api, accountId, 'EDITOR');
    const request = { name: 'x', event_dataset_id: eventDatasetId };
    expect(await editor.ask('createWriteKey', request)).toMatchObject(problem(403, 'ROLE_MISSING'));
    const operator = await signedIn(api, accountId, 'OPERATOR');
    expect(await operator.ask('createWriteKey', request)).toMatchObject({ status: 200 });
    const program = await limitedTo(caller, 'createWriteKey');
    expect(await program.ask('createWriteKey', request)).toMatchObject(problem(403, 'SCOPE_MISSING'));
    // A write key cannot create another one, as no other operation is allowed to it.
    expect(await send('createWriteKey', request, bearer(key.write_key))).toMatchObject({ status: 403 });
  });
});
