import { type ClientRequest, type OutgoingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, type Caller, requestOf } from '../stack/caller.ts';
import { KindCaller, placeOf, recordOf, type UpsertAnswer } from '../stack/kinds.ts';
import { lockEvents } from '../stack/lock-events.ts';
import { api, ownProduct, problem } from '../stack/stack.ts';
import { itemsUpTo, makeCheckedProject, soundEvents } from '../training/checked-project.ts';

let sql: pg.Pool;

ownProduct({ DATABASE_POOL_SIZE: '8' });

beforeAll(async () => {
  sql = new pg.Pool({ connectionString: api.databaseUrl, max: 4 });
});
afterAll(() => sql.end());

interface Flood {
  readonly answers: Promise<Answer<UpsertAnswer & { code?: string }>>[];
  /** Lets the upserts continue, and waits until all are answered. */
  release(): Promise<Answer<UpsertAnswer & { code?: string }>[]>;
}

/** Upserts of one item, which all wait for a row that another session has locked. */
async function flood(caller: Caller, calls: number): Promise<Flood> {
  const items = new KindCaller(caller, 'item');
  const dataset = await items.createdId({ num_shards: 10 });
  await items.upsert(dataset, [recordOf('item', 'hot')]);
  const { dataset_key } = await placeOf(api.db, dataset);
  const holder = await sql.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM items WHERE dataset_key = $1 FOR UPDATE', [dataset_key]);
  const upsert = () => items.upsert(dataset, [recordOf('item', 'hot', { attributes: { n: Math.random() } })]);
  const answers = Array.from({ length: calls }, upsert);
  const waiting = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  const isWaiting = async () =>
    expect((await sql.query<{ n: number }>(waiting)).rows[0]?.n).toBeGreaterThan(0);
  await vi.waitFor(isWaiting, { timeout: 10_000 });
  return {
    answers,
    async release() {
      await holder.query('COMMIT');
      holder.release();
      return Promise.all(answers);
    },
  };
}

async function readyz(): Promise<number> {
  const response = await fetch(`${api.baseUrl}/readyz`);
  await response.body?.cancel();
  return response.status;
}

describe('while an account has a hundred calls waiting for one row', () => {
  let hostile: Caller;
  let project_id: string;
  let victim: Caller;
  let flooding: Flood;

  beforeAll(async () => {
    [hostile, victim] = [await api.newCaller(), await api.newCaller()];
    ({ project_id } = await makeCheckedProject(victim, {}));
    flooding = await flood(hostile, 100);
  });

  // The row stays locked meanwhile: a call that waited for it, or for a connection, would fail.
  test('calls of another account are not delayed', async () => {
    for (let n = 0; n < 5; n++) expect((await victim.ask('getProject', { project_id })).status).toBe(200);
  });

  test('the process is ready, and issues tokens to a new key', async () => {
    expect(await readyz()).toBe(200);
    const another = await api.newCaller();
    expect((await another.ask('listProjects', {})).status).toBe(200);
  });

  test('its own calls beyond the queue limit are refused at once, with Retry-After', async () => {
    const refused = await Promise.race(flooding.answers);
    expect(refused).toMatchObject(problem(429, 'TOO_MANY_REQUESTS'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  test('the waiting calls are written once the row is unlocked, and none is lost', async () => {
    const answers = await flooding.release();
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    for (const { status, body } of answers) if (status === 200) expect(body.succeed_ids).toEqual(['hot']);
    expect((await new KindCaller(hostile, 'item').list()).status).toBe(200);
  });
});

test('callers that disconnect make room for other calls of the account', async () => {
  const caller = await api.newCaller();
  const flooding = await flood(caller, 10);
  const [url, { headers }] = requestOf(api.baseUrl, 'listProjects', {}, await caller.headers());
  const calls: ClientRequest[] = [];
  // Each on its own connection, which destroying the request closes; 0 then.
  const ask = () =>
    new Promise<number>((resolve) => {
      const call = request(url, { agent: false, headers: headers as OutgoingHttpHeaders }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      call.on('error', () => resolve(0)).end();
      calls.push(call);
    });
  // The account's share is in use, so these wait; those beyond the queue limit are refused.
  const waiting = Array.from({ length: 100 }, ask);
  expect(await Promise.race(waiting)).toBe(429);
  expect(await ask()).toBe(429);
  for (const call of calls) call.destroy();
  await Promise.all(waiting);
  const after: Promise<number>[] = [];
  // The server notices a closed connection a moment later.
  const isQueued = async () => {
    const one = ask();
    after.push(one);
    expect(await Promise.race([one, sleep(200, 'waits')])).toBe('waits');
  };
  await vi.waitFor(isQueued, { timeout: 10_000 });
  await flooding.release();
  expect(await after.at(-1)).toBe(200);
});

test('recommendation calls do not wait for connections that writes hold', async () => {
  const [victim, one, another] = [await api.newCaller(), await api.newCaller(), await api.newCaller()];
  const floods = [await flood(one, 20), await flood(another, 20)];
  expect(await victim.ask('recommendItemsToUser', { user_id: 'u' })).toMatchObject(
    problem(409, 'PROJECT_NOT_DEPLOYED'),
  );
  for (const each of floods) await each.release();
});

describe('sixteen concurrent surveys of an account, on locked tables,', () => {
  test('share one connection, do not delay other calls, and report what they left out', async () => {
    const [hostile, victim] = [await api.newCaller(), await api.newCaller()];
    const data = { events: soundEvents(), items: itemsUpTo(30) };
    const { project_id, event_dataset_id } = await makeCheckedProject(hostile, data);
    const other = await makeCheckedProject(victim, {});
    const lock = await lockEvents(api, { event_dataset_id });
    const surveys = Array.from({ length: 16 }, () => hostile.ask('checkTraining', { project_id }));
    const waiting =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await vi.waitFor(async () => expect((await sql.query(waiting)).rowCount).toBe(1), { timeout: 10_000 });
    for (let n = 0; n < 5; n++) {
      expect((await victim.ask('getProject', { project_id: other.project_id })).status).toBe(200);
      expect((await sql.query(waiting)).rowCount).toBeLessThanOrEqual(1);
    }
    const first = await Promise.any(
      surveys.map(async (survey) => {
        const answer = await survey;
        if (answer.status !== 200) throw new Error(answer.body.code);
        return answer;
      }),
    );
    expect(first.body).toMatchObject({ can_train: true, counts: { events: 1200 } });
    expect(first.body.not_checked).toContain('events');
    await lock.release();
    const statuses = (await Promise.all(surveys)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });
});
