import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Caller } from '../stack/caller.ts';
import { lockEvents } from '../stack/lock-events.ts';
import { makeSlowDatabase, startServingCell } from '../stack/serving-processes.ts';
import { perFile } from '../stack/stack.ts';

const cell = perFile(startServingCell);
beforeAll(() => cell.deploy(100_000));

const ask = (caller: Caller, user_id = 'u1') =>
  caller.ask('recommendItemsToUser', { user_id, project_id: cell.project.project_id });

describe('after PostgreSQL has stalled', () => {
  test('calls that begin a second after it resumes are served completely', async () => {
    // Shorter than the stall, long enough for a call on a busy machine.
    const deadlineMs = 3000;
    const slow = await makeSlowDatabase(cell.api.databaseUrl, 40);
    onTestFinished(() => slow[Symbol.asyncDispose]());
    const { caller } = await cell.startServing({
      databaseUrl: slow.url,
      databasePoolSize: 8,
      serving: { memoryBytes: 1e8, deadlineMs },
    });
    await expect.poll(async () => (await ask(caller)).status).toBe(200);
    const callsPerSecond = 20;
    const calls: Promise<{ startedAt: number; status: number; degraded: number; ms: number }>[] = [];
    const callSteadily = async (ms: number) => {
      const start = performance.now();
      for (let made = 0; performance.now() - start < ms; ) {
        for (; made < ((performance.now() - start) / 1000) * callsPerSecond; made++) calls.push(callOnce());
        await sleep(5);
      }
    };
    const callOnce = async () => {
      const startedAt = performance.now();
      const { status, body } = await ask(caller);
      const degraded = status === 200 ? (body.degraded?.length ?? 0) : 0;
      return { startedAt, status, degraded, ms: performance.now() - startedAt };
    };
    await callSteadily(500);
    slow.stall();
    await callSteadily(4000);
    slow.resume();
    const resumedAt = performance.now();
    await callSteadily(2500);
    const answers = await Promise.all(calls);
    const later = answers.filter(({ startedAt }) => startedAt > resumedAt + 1000);
    expect(later.length).toBeGreaterThan(15);
    expect(later.filter(({ status, degraded }) => status !== 200 || degraded > 0)).toEqual([]);
  }, 60_000);
});

describe('a call that exceeds its deadline', () => {
  test('gets an error with the deadline, and the log says how long each step took', async () => {
    const slow = await makeSlowDatabase(cell.api.databaseUrl, 0);
    onTestFinished(() => slow[Symbol.asyncDispose]());
    const { caller, lines } = await cell.startServing({
      databaseUrl: slow.url,
      serving: { memoryBytes: 1e8, deadlineMs: 250 },
    });
    // The token and the key are cached by then; the project is not.
    await caller.ask('recommendItemsToUser', { user_id: 'u1', project_id: 'prj_unknown' });
    slow.stall();
    const { status, body, headers } = await ask(caller);
    slow.resume();
    expect({ status, code: body.code, retry: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'UNAVAILABLE',
      retry: '1',
    });
    expect(body.detail).toContain('250 ms');
    expect(body.detail).not.toContain('database');
    const line = () =>
      lines.find((one) => one['request_id'] === body.request_id && one['err'] !== undefined) ?? null;
    await expect.poll(() => JSON.stringify(line())).toMatch(/project \d+ ms/);
  });
});

describe('a degraded call', () => {
  test('is logged with its cause, project, account and request, at intervals, and counted by cause', async () => {
    const { caller, lines } = await cell.startServing({ serving: { memoryBytes: 1e8, deadlineMs: 2000 } });
    await ask(caller);
    const lock = await lockEvents(cell.api, cell.project);
    const answers = await Promise.all(['u1', 'u2', 'u3'].map((user) => ask(caller, user)));
    await lock.release();
    expect(answers.map(({ body }) => body.degraded)).toEqual([['history'], ['history'], ['history']]);
    const logged = () => lines.filter(({ part }) => part === 'history');
    await expect.poll(() => logged().length).toBe(1);
    const [degraded] = logged();
    expect(degraded).toMatchObject({
      cause: 'deadline',
      project_id: cell.project.project_id,
      account_id: cell.caller.credentials.accountId,
    });
    expect(typeof degraded?.['request_id']).toBe('string');
  });
});

describe('a changed qps', () => {
  /** How many calls of a burst are allowed, and how long it took. */
  const burst = async (callers: readonly Caller[], each: number) => {
    const start = performance.now();
    const answers = await Promise.all(
      callers.flatMap((caller) => Array.from({ length: each }, () => ask(caller))),
    );
    const allowed = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ body }) => body.code === 'QPS_EXCEEDED').length;
    expect(allowed + refused).toBe(answers.length);
    return { allowed, seconds: (performance.now() - start) / 1000 };
  };

  test.each(['with Redis', 'without Redis'])(
    'applies to the next call of every process, %s',
    async (how) => {
      // A call that cannot read its deployment in time uses the last known one; here, each has the time.
      const serving = { memoryBytes: 1e8, deadlineMs: 20_000 };
      const settings = how === 'with Redis' ? { serving } : { serving, redisUrl: undefined };
      const processes = [await cell.startServing(settings), await cell.startServing(settings)];
      const callers = processes.map(({ caller }) => caller);
      const buckets = how === 'with Redis' ? 1 : callers.length;
      await cell.deploy(100);
      for (const caller of callers) for (let n = 0; n < 3; n++) expect((await ask(caller)).status).toBe(200);
      await cell.deploy(3);
      const lowered = await burst(callers, 30);
      expect(lowered.allowed).toBeGreaterThanOrEqual(3);
      expect(lowered.allowed).toBeLessThanOrEqual(buckets * (3 + 3 * lowered.seconds));
      await cell.deploy(100_000);
      for (const caller of callers) expect((await ask(caller)).status).toBe(200);
      expect((await burst(callers, 30)).allowed).toBe(60);
    },
    60_000,
  );
});
