import { endpoints, limits, operationNames, type Response, roleIncludes } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { type Browser, signedIn } from '../stack/browser.ts';
import { Caller } from '../stack/caller.ts';
import { api, caller, perFile, problem, test } from '../stack/stack.ts';

const owner = perFile(() => signedIn(api, caller.accountId, 'OWNER'), test);
const operator = perFile(() => signedIn(api, caller.accountId, 'OPERATOR'), test);

type Created = Response<'createApiKey'>;
const listed = async () => (await caller.call('listApiKeys', {})).api_keys;
const find = async (apiKey: string) => (await listed()).find(({ api_key }) => api_key === apiKey);

async function create(person: Browser, request: object): Promise<Created> {
  const { status, body } = await person.ask('createApiKey', request);
  expect(status).toBe(200);
  return body as unknown as Created;
}
const callerOf = ({ api_key, api_secret }: Created) =>
  new Caller(api.baseUrl, { ...caller.credentials, apiKey: api_key, apiSecret: api_secret });

describe('an API key created by a person', () => {
  test('gets tokens for its operations, and its secret is never shown again', async () => {
    const created = await create(operator, { name: 'shop', operations: ['/list-projects'] });
    const unused = { revoked_ts: null, last_used_ts: null };
    expect(created).toMatchObject({ name: 'shop', operations: ['/list-projects'], ...unused });
    const key = callerOf(created);
    expect(await key.requestToken('/list-projects')).toMatchObject({ status: 200 });
    expect(await key.requestToken('/get-job')).toMatchObject({ status: 400 });
    const { api_secret, ...rest } = created;
    expect(await find(created.api_key)).toMatchObject({ ...rest, last_used_ts: null });
    expect(JSON.stringify(await listed())).not.toContain(api_secret);
  });

  test('is renamed and limited without touching the rest, and revoked for good', async () => {
    const { api_key } = await create(owner, { name: 'first', operations: ['/list-projects', '/get-job'] });
    const change = async (request: object) => (await owner.ask('updateApiKey', { api_key, ...request })).body;
    const name = 'second';
    expect(await change({ name })).toMatchObject({ name, operations: ['/list-projects', '/get-job'] });
    const operations = ['/get-job'];
    expect(await change({ operations })).toMatchObject({ name, operations });
    const first = await owner.ask('revokeApiKey', { api_key });
    expect(first.body['revoked_ts']).toBeTypeOf('number');
    const second = await owner.ask('revokeApiKey', { api_key });
    expect(second.body['revoked_ts']).toBe(first.body['revoked_ts']);
  });

  test('stops working within seconds of its revocation, with its tokens', async () => {
    const created = await create(owner, { name: 'short-lived' });
    const key = callerOf(created);
    await key.call('listProjects', {});
    await owner.ask('revokeApiKey', { api_key: created.api_key });
    await expect.poll(async () => (await key.ask('listProjects', {})).status).toBe(401);
    expect(await key.requestToken('/list-projects')).toMatchObject({ status: 401 });
  });

  test('must name operations that exist', async () => {
    for (const operations of [['/no-such-operation'], []])
      expect(await owner.ask('createApiKey', { name: 'x', operations })).toMatchObject(
        problem(400, 'INVALID_REQUEST'),
      );
  });
});

describe('nobody gives a key more than they have', () => {
  test('an operator cannot give a key what only owners may do, or everything', async () => {
    const { api_key } = await create(owner, { name: 'owned' });
    for (const operations of [['/invite-person'], ['/get-job', '/list-audit-events'], undefined])
      expect(await operator.ask('createApiKey', { name: 'x', operations })).toMatchObject(
        problem(403, 'ROLE_MISSING'),
      );
    expect(await operator.ask('updateApiKey', { api_key, operations: ['/invite-person'] })).toMatchObject(
      problem(403, 'ROLE_MISSING'),
    );
    const all = operationNames.map((name) => endpoints[name]);
    const own = all.filter(([, , role]) => roleIncludes('OPERATOR', role)).map(([, path]) => path);
    expect((await create(operator, { name: 'all of mine', operations: own })).operations).toEqual(own);
  });

  test('a limited key cannot create or change one that is less limited', async () => {
    const operations = ['/create-api-key', '/update-api-key', '/list-projects'];
    const created = await create(owner, { name: 'limited', operations });
    const names = ['createApiKey', 'updateApiKey', 'listProjects'] as const;
    const { credentials } = callerOf(created);
    const limited = new Caller(api.baseUrl, credentials, names);
    const refused = problem(403, 'SCOPE_MISSING');
    expect(await limited.ask('createApiKey', { name: 'x' })).toMatchObject(refused);
    expect(await limited.ask('createApiKey', { name: 'x', operations: ['/get-job'] })).toMatchObject(refused);
    const { api_key } = created;
    expect(await limited.ask('updateApiKey', { api_key, operations: ['/get-job'] })).toMatchObject(refused);
    const fitting = { name: 'x', operations: ['/list-projects'] };
    expect((await limited.ask('createApiKey', fitting)).status).toBe(200);
  });
});

describe('nobody changes a key that holds more than they have', () => {
  test('an operator cannot rename, limit or revoke a key of an owner, but their own', async () => {
    const { api_key } = await create(owner, { name: 'owned' });
    const changes = {
      updateApiKey: [{ name: 'x' }, { operations: ['/get-job'] }],
      revokeApiKey: [{}],
    } as const;
    for (const name of ['updateApiKey', 'revokeApiKey'] as const)
      for (const change of changes[name])
        expect(await operator.ask(name, { api_key, ...change })).toMatchObject(problem(403, 'ROLE_MISSING'));
    expect(await find(api_key)).toMatchObject({ name: 'owned', operations: null, revoked_ts: null });
    const own = await create(operator, { name: 'mine', operations: ['/get-job'] });
    expect(await operator.ask('revokeApiKey', { api_key: own.api_key })).toMatchObject({ status: 200 });
  });

  test('a limited key changes only what is as limited, write keys included', async () => {
    const operations = ['/update-api-key', '/revoke-api-key', '/list-projects'];
    const limited = new Caller(
      api.baseUrl,
      callerOf(await create(owner, { name: 'limited', operations })).credentials,
      ['updateApiKey', 'revokeApiKey', 'listProjects'],
    );
    const { event_dataset_id } = await caller.call('createEventDataset', { name: 'events', num_shards: 1 });
    const { api_key: written } = await caller.call('createWriteKey', { name: 'w', event_dataset_id });
    const { api_key: other } = await create(owner, { name: 'other', operations: ['/get-job'] });
    const { api_key: fitting } = await create(owner, { name: 'fitting', operations: ['/list-projects'] });
    for (const api_key of [written, other, caller.credentials.apiKey])
      expect(await limited.ask('revokeApiKey', { api_key })).toMatchObject(problem(403, 'SCOPE_MISSING'));
    expect(await limited.ask('updateApiKey', { api_key: other, name: 'x' })).toMatchObject({ status: 403 });
    expect(await limited.ask('revokeApiKey', { api_key: fitting })).toMatchObject({ status: 200 });
    expect(await limited.ask('revokeApiKey', { api_key: limited.credentials.apiKey })).toMatchObject({
      status: 200,
    });
  });
});

describe('a person who leaves', () => {
  test('leaves keys behind, which are listed, also those that were created with their keys', async () => {
    const leaver = await signedIn(api, caller.accountId, 'OWNER');
    const person_id = await leaver.personId();
    const first = await create(leaver, { name: 'first' });
    const second = await callerOf(first).call('createApiKey', { name: 'second' });
    const revoked = await create(leaver, { name: 'revoked' });
    await owner.ask('revokeApiKey', { api_key: revoked.api_key });
    expect(first.created_by).toBe(person_id);
    expect(second.created_by).toBe(first.api_key);
    const { body } = await owner.ask('removePerson', { person_id });
    const left = body['api_keys'] as Response<'listApiKeys'>['api_keys'];
    expect(left.map(({ api_key }) => api_key)).toEqual([second.api_key, first.api_key]);
    expect(await find(first.api_key)).toMatchObject({ created_by: person_id, revoked_ts: null });
  });

  test('creates no key with a session that is still cached', async () => {
    const leaver = await signedIn(api, caller.accountId, 'OWNER');
    const person_id = await leaver.personId();
    expect(await leaver.ask('listProjects')).toMatchObject({ status: 200 });
    await api.rows('DELETE FROM people WHERE person_id = $1', [person_id]);
    expect(await leaver.ask('createApiKey', { name: 'x' })).toMatchObject(problem(401, 'UNAUTHENTICATED'));
    expect((await listed()).filter(({ created_by }) => created_by === person_id)).toEqual([]);
  });
});

test('the last use of a key is known soon after a token and after a call', async () => {
  const before = Date.now();
  const created = await create(owner, { name: 'used' });
  await callerOf(created).requestToken('/list-projects');
  const lastUse = async () => (await find(created.api_key))?.last_used_ts ?? 0;
  await expect.poll(lastUse, { timeout: 30_000 }).toBeGreaterThanOrEqual(before);
  // The caller of this test has made calls only.
  const lastCall = async () => (await find(caller.credentials.apiKey))?.last_used_ts;
  await expect.poll(lastCall, { timeout: 30_000 }).toBeGreaterThanOrEqual(before - 120_000);
});

test('keys are listed newest first, over any number of pages', async () => {
  for (let n = 0; n < 5; n++) await create(owner, { name: `page ${n}` });
  const all = (await listed()).map(({ api_key }) => api_key);
  const paged: string[] = [];
  for (let token: string | null | undefined; token !== null; ) {
    const page: Response<'listApiKeys'> = await caller.call('listApiKeys', {
      page_size: 2,
      ...(token === undefined ? {} : { page_token: token }),
    });
    paged.push(...page.api_keys.map(({ api_key }) => api_key));
    token = page.next_page_token;
  }
  expect(paged).toEqual(all);
  const times = (await listed()).map(({ created_ts }) => created_ts);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test('changes of keys are in the audit log, without secrets, and are found by operation and actor', async () => {
  const created = await create(owner, { name: 'audited' });
  const personId = await owner.personId();
  const list = async (filter: object) => (await caller.ask('listAuditEvents', filter)).body.audit_events;
  const byOperation = await list({ operation: '/create-api-key' });
  expect(byOperation[0]).toMatchObject({ object_id: created.api_key, actor_id: personId });
  expect(new Set(byOperation.map(({ operation }) => operation))).toEqual(new Set(['/create-api-key']));
  const byActor = await list({ actor_id: personId });
  expect(new Set(byActor.map(({ actor_id }) => actor_id))).toEqual(new Set([personId]));
  expect(await list({ actor_id: personId, operation: '/delete-project' })).toEqual([]);
  const [row] = await api.rows<{ text: string }>('SELECT json_agg(a)::text AS text FROM audit_events a');
  expect(row?.text).toContain(created.api_key);
  expect(row?.text).not.toContain(created.api_secret);
});

test('a page of the audit log continues only the list that it is from', async () => {
  const page = await caller.call('listAuditEvents', { operation: '/create-api-key', page_size: 1 });
  const page_token = page.next_page_token ?? '';
  const same = { operation: '/create-api-key', page_token };
  expect((await caller.ask('listAuditEvents', same)).status).toBe(200);
  expect(await caller.ask('listAuditEvents', { page_token })).toMatchObject({ status: 400 });
});

test('an account has a limited number of keys that are not revoked', async () => {
  const other = await api.newCaller();
  await api.rows(
    `INSERT INTO api_keys (api_key, account_id, secret_salt, secret_hash)
      SELECT 'tg_main_' || lpad(n::text, 24, '0'), $1, '', '' FROM generate_series(1, $2) n`,
    [other.credentials.accountId, limits.apiKeysPerAccount - 1],
  );
  expect(await other.ask('createApiKey', { name: 'one too many' })).toMatchObject(
    problem(403, 'QUOTA_EXCEEDED'),
  );
  await other.call('revokeApiKey', { api_key: `tg_main_${'1'.padStart(24, '0')}` });
  expect(await other.ask('createApiKey', { name: 'fits' })).toMatchObject({ status: 200 });
});
