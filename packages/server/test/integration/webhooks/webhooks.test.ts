import type { ServerResponse } from 'node:http';
import type { Response } from '@tastegraph/contract';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { upsertPlan } from '../../../src/accounts/rows/accounts.ts';
import { createMetrics } from '../../../src/kernel/observability/metrics.ts';
import { startApi } from '../../../src/processes/api.ts';
import { startWorker } from '../../../src/processes/worker.ts';
import { announce } from '../../../src/webhooks/announce.ts';
import { deliverWebhooks } from '../../../src/webhooks/deliver-webhooks.ts';
import { webhooks } from '../../../src/webhooks/index.ts';
import { noticeNext } from '../../../src/webhooks/notice-limits.ts';
import { claimMessages } from '../../../src/webhooks/rows/messages.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { startTestApi, type TestApi } from '../stack/api.ts';
import type { Caller } from '../stack/caller.ts';
import { setCount } from '../stack/kinds.ts';
import { api, ownProduct, problem } from '../stack/stack.ts';
import { fixedParameters, makeProject, submit, waitForJob } from '../stack/training.ts';

ownProduct({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' }, async (runtime) => {
  await startWorker(runtime);
  await startWorker(runtime);
  return startApi(runtime);
});

const events: Response<'getWebhook'>['events'] = ['job.ended'];

const say = (caller: Caller, data: object) =>
  api.db.transaction((tx) => announce(tx, caller.credentials.accountId, 'job.ended', data));

const typesOf = ({ received }: Receiver) =>
  received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);

/** As if the pause until the next attempt were over. */
const makeDue = () => api.rows('UPDATE webhook_messages SET due_at = now()');

/** A webhook of a new account. */
async function createWebhook(respond?: Parameters<typeof startReceiver>[0]) {
  const caller = await api.newCaller();
  const receiver = await startReceiver(respond);
  const { webhook_id, secret } = await caller.call('createWebhook', { url: receiver.url, events });
  const show = () => caller.call('getWebhook', { webhook_id });
  return { caller, receiver, webhook_id, secret, show };
}

describe('a webhook', () => {
  test('is told when a job ends, with a signature that the standard library verifies', async () => {
    const { caller, receiver, secret, show } = await createWebhook();
    const project = await makeProject(caller, { parameters: fixedParameters });
    const { project_id } = project;
    const job_id = await submit(caller, project, 'told');
    await waitForJob(caller, project_id, job_id);
    await expect.poll(() => receiver.received.length).toBe(1);
    const { body = '', headers = {} } = receiver.received[0] ?? {};
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      type: 'job.ended',
      data: { project_id, job_id, job_type: 'TRAINING', name: 'told', job_status: 'SUCCEED', error: null },
    });
    const delivered = { pending: 0, last_failure: null, last_delivered_ts: expect.any(Number) as number };
    await expect.poll(show).toMatchObject({ enabled: true, ...delivered });
    expect(JSON.stringify(await caller.call('listWebhooks', {}))).not.toContain('secret');
  });

  test('gets a message again until it confirms it, at least once', async () => {
    const statuses = [500, 503, 200];
    const { caller, receiver, show } = await createWebhook(
      (response) => void response.writeHead(statuses.shift() ?? 200).end(),
    );
    const failed = (status: string) => ({
      pending: 1,
      last_failure: { code: 'STATUS', message: expect.stringContaining(status) as string },
    });
    await say(caller, { n: 1 });
    await expect.poll(show).toMatchObject(failed('500'));
    // Only now: a message that is made due while it is being sent is sent twice.
    await makeDue();
    await expect.poll(show).toMatchObject(failed('503'));
    await makeDue();
    await expect.poll(show).toMatchObject({ pending: 0, last_failure: null });
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('gets a message whose worker died', async () => {
    const { caller, receiver } = await createWebhook();
    await api.db.transaction(async (tx) => {
      await announce(tx, caller.credentials.accountId, 'job.ended', { n: 7 });
      // Claimed by a worker that never sends it.
      await claimMessages(tx, new Map(), { perAccount: 10, total: 1000, leaseSeconds: 1 });
    });
    await expect.poll(() => typesOf(receiver)).toEqual([7]);
  });

  test('is told nothing of what was rolled back, and only what it asked for', async () => {
    const { caller, receiver } = await createWebhook();
    const { accountId } = caller.credentials;
    await expect(
      api.db.transaction(async (tx) => {
        await announce(tx, accountId, 'job.ended', { n: 1 });
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await api.db.transaction((tx) => announce(tx, accountId, 'quota.near', { n: 2 }));
    await say(caller, { n: 3 });
    await expect.poll(() => typesOf(receiver)).toEqual([3]);
  });

  test('that hangs does not delay another account', async () => {
    const slow = await createWebhook(() => undefined);
    const quick = await createWebhook();
    for (let n = 0; n < 50; n++) await say(slow.caller, { n });
    await expect.poll(() => slow.receiver.received.length).toBeGreaterThan(0);
    await say(quick.caller, { n: 1 });
    await expect.poll(() => typesOf(quick.receiver)).toEqual([1]);
    // At most four per process: the messages of the slow account wait.
    expect(slow.receiver.received.length).toBeLessThanOrEqual(8);
  });

  test('that has failed for a day, or that is gone, is disabled with a reason, and can be enabled again', async () => {
    let status = 500;
    const respond = (response: ServerResponse) => void response.writeHead(status).end();
    const { caller, webhook_id, show } = await createWebhook(respond);
    await say(caller, { n: 1 });
    await expect.poll(show).toMatchObject({ enabled: true, last_failure: { code: 'STATUS' } });
    const fail = `UPDATE webhooks SET failing_since = now() - interval '25 hours' WHERE webhook_id = $1`;
    await api.rows(fail, [webhook_id]);
    await makeDue();
    const disabledFor = (status: string) => ({
      enabled: false,
      disabled_reason: expect.stringContaining(status) as string,
    });
    await expect.poll(show).toMatchObject({ ...disabledFor('500'), pending: 0 });
    await say(caller, { n: 2 });
    expect(await show()).toMatchObject({ pending: 0 });

    const enabled = await caller.call('updateWebhook', { webhook_id, enabled: true });
    expect(enabled).toMatchObject({ enabled: true, disabled_reason: null, last_failure: null });
    status = 410;
    await say(caller, { n: 3 });
    await expect.poll(show).toMatchObject(disabledFor('410'));
  });

  test('signs with both secrets after a rotation, and shows a secret only then', async () => {
    const { caller, receiver, webhook_id, secret } = await createWebhook();
    const rotated = await caller.call('updateWebhook', { webhook_id, rotate_secret: true });
    expect(rotated.secret).not.toBe(secret);
    await say(caller, { n: 1 });
    await expect.poll(() => receiver.received.length).toBe(1);
    const { body = '', headers = {} } = receiver.received[0] ?? {};
    for (const one of [secret, rotated.secret ?? ''])
      expect(new Webhook(one).verify(body, headers)).toMatchObject({ type: 'job.ended' });
    const moved = await caller.call('updateWebhook', { webhook_id, url: receiver.url });
    expect(moved).not.toHaveProperty('secret');
  });

  test('is limited in number, and refused for a URL with credentials', async () => {
    const caller = await api.newCaller();
    const create = (url: string) => caller.ask('createWebhook', { url, events });
    for (const url of ['ftp://x/', 'https://u:p@example.com/', 'x', 'https://'])
      expect(await create(url)).toMatchObject(problem(400, 'INVALID_REQUEST'));
    for (let n = 0; n < 20; n++) expect(await create('https://example.com/')).toMatchObject({ status: 200 });
    expect(await create('https://example.com/')).toMatchObject(problem(403, 'QUOTA_EXCEEDED'));
  });
});

/** Delivers messages as a worker does, until it is told to stop. */
function startDelivery({ db }: TestApi, allowsPrivateAddresses: boolean, log = pino({ level: 'silent' })) {
  const stop = new AbortController();
  const delivery = deliverWebhooks({
    db,
    log,
    metrics: createMetrics(webhooks.metrics),
    config: { webhooks: { allowsPrivateAddresses } },
    stopping: stop.signal,
  });
  return async () => {
    stop.abort();
    await delivery;
  };
}

test('a worker that stops while it sends a message leaves it to another one, and records no failure', async () => {
  await using own = await startTestApi({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' }, startApi);
  const caller = await own.newCaller();
  // Hangs for the worker that will stop, and answers the other one.
  const receiver = await startReceiver((response) => {
    if (receiver.received.length > 1) response.writeHead(204).end();
  });
  const { webhook_id } = await caller.call('createWebhook', { url: receiver.url, events });
  await own.db.transaction((tx) => announce(tx, caller.credentials.accountId, 'job.ended', { n: 1 }));
  const stop = startDelivery(own, true);
  await expect.poll(() => receiver.received.length).toBe(1);
  await stop();
  const show = () => caller.call('getWebhook', { webhook_id });
  expect(await show()).toMatchObject({ enabled: true, pending: 1, last_failure: null });
  expect(await own.rows('SELECT attempts, due_at <= now() AS is_due FROM webhook_messages')).toEqual([
    { attempts: 0, is_due: true },
  ]);
  const stopOther = startDelivery(own, true);
  await expect.poll(show).toMatchObject({ pending: 0, last_failure: null });
  expect(typesOf(receiver)).toEqual([1, 1]);
  await stopOther();
});

describe('with private addresses refused', () => {
  test('a webhook to one is refused, and one whose name resolves to one is never connected to; the log has no secret', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const strict = await startTestApi({}, startApi);
    onTestFinished(() => strict[Symbol.asyncDispose]());
    const caller = await strict.newCaller();
    const receiver = await startReceiver();
    for (const host of ['127.0.0.1', '10.0.0.1', '[::1]', 'localhost', '169.254.169.254', '2130706433'])
      expect(await caller.ask('createWebhook', { url: `http://${host}/`, events })).toMatchObject(
        problem(400, 'INVALID_REQUEST'),
      );
    const webhook = { url: 'https://example.com/token-in-path', events };
    const { webhook_id, secret } = await caller.call('createWebhook', webhook);
    await strict.rows('UPDATE webhooks SET url = $1', [`http://localhost:${receiver.port}/token-in-path`]);
    const stop = startDelivery(strict, false, log);
    await strict.db.transaction((tx) => announce(tx, caller.credentials.accountId, 'job.ended', { n: 1 }));
    const show = () => caller.call('getWebhook', { webhook_id });
    await expect.poll(show).toMatchObject({ pending: 1, last_failure: { code: 'ADDRESS_REFUSED' } });
    await stop();
    expect(receiver.received).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
    const bytes = secret.slice('whsec_'.length);
    for (const line of lines) for (const text of [bytes, 'token-in-path']) expect(line).not.toContain(text);
  });
});

describe('limits', () => {
  test('that are nearly reached are told once, and again after they were far', async () => {
    const plan = { plan: 'tight', max_event_shards: 100, max_training_hours: null, max_qps: null };
    await upsertPlan(api.db, plan);
    await upsertPlan(api.db, { ...plan, max_projects: 1 });
    const caller = await api.newCaller('tight');
    const receiver = await startReceiver();
    await caller.call('createWebhook', { url: receiver.url, events: ['dataset.nearly_full', 'quota.near'] });
    const { event_dataset_id } = await makeProject(caller, { users: 3, each: 2 });
    const setTo = (count: number) => setCount(api.db, event_dataset_id, count);
    // The workers check as well: what counts is that the account was told or is to be told again.
    const check = async () => {
      await api.rows(`UPDATE periodic_tasks SET due_at = now() WHERE task = 'notice_limits'`);
      await noticeNext(api.db);
      return api.rows('SELECT FROM notices WHERE account_id = $1', [caller.accountId]);
    };
    const checkUntil = (notices: number) => expect.poll(check).toHaveLength(notices);
    await setTo(1_900_000);
    for (let n = 0; n < 2; n++) await checkUntil(2);
    const types = () =>
      receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted();
    await expect.poll(types).toEqual(['dataset.nearly_full', 'quota.near']);
    const full = receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: object });
    expect(full).toContainEqual(
      expect.objectContaining({
        type: 'dataset.nearly_full',
        data: { event_dataset_id, name: 'e', record_count: 1_900_000, capacity: 2_000_000 },
      }),
    );
    expect(full).toContainEqual(
      expect.objectContaining({ type: 'quota.near', data: { quota: 'projects', used: 1, cap: 1 } }),
    );
    await setTo(100);
    await checkUntil(1);
    await setTo(1_800_000);
    await checkUntil(2);
    await expect.poll(types).toEqual(['dataset.nearly_full', 'dataset.nearly_full', 'quota.near']);
  });
});
