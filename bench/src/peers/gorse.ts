import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, startPostgres, startRedis } from '@tastegraph/dev';
import { runConcurrently } from '../load.ts';
import { residentBytes } from '../process-memory.ts';
import { percentile } from '../report.ts';
import { flood } from '../serve/load.ts';
import { connections, floodSeconds, listLength, type ProductRun } from './product.ts';
import { watchTrees } from './watch-tree.ts';

/** Gorse's own search tries 10 settings, in the background; after it, the next fit uses the best one. */
export const searchMinutes = Number(process.env['GORSE_MINUTES'] ?? 20);
const searchLimitMs = searchMinutes * 60_000;
const firstLimitMs = 600_000;
const batch = 5000;
const lanes = Array.from({ length: 4 }, (_, lane) => lane);
/** Concurrent batches deadlock in Gorse's database: they insert the same items. */
const importLanes = [0];

interface Task {
  readonly Name: string;
  readonly Status: string;
  readonly StartTime: string;
  readonly FinishTime: string;
}

/**
 * Gorse as a service, on PostgreSQL and Redis like ours: collaborative filtering alone, because the data has nothing else, without
 * random exploration or fallbacks. It runs with two jobs, and is restarted after the import, so that it does not wait for its next period.
 */
export async function runGorse(
  binary: string,
  known: ReadonlyMap<number, readonly number[]>,
): Promise<{ first: ProductRun; searched: ProductRun | undefined }> {
  await using postgres = await startPostgres({});
  await using redis = await startRedis({});
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-gorse-'));
  const [port, rpcPort] = [await findFreePort(), await findFreePort()];
  const config = join(folder.path, 'config.toml');
  await writeFile(config, configuration(`${postgres.url}?sslmode=disable`, redis.url, port, rpcPort));
  const base = `http://127.0.0.1:${port}/api`;
  const start = async () => {
    const args = ['-c', config, '--cache-path', join(folder.path, 'cache'), '--recommend-jobs', '2'];
    const child = spawn(binary, args, { cwd: folder.path, stdio: 'ignore' });
    const isReady = () =>
      fetch(`${base}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isReady, 60_000, 'Gorse did not start.');
    return child;
  };

  const importing = await start();
  const importCost = watchTrees([importing.pid ?? 0]);
  let importSeconds: number;
  try {
    importSeconds = await importFeedback(base, known);
  } finally {
    await stop(importing);
  }
  const { cpuSeconds } = importCost.stop();

  const child = await start();
  const cost = watchTrees([child.pid ?? 0]);
  try {
    const startedAt = performance.now();
    const users = [...known.keys()];
    const asked = users.filter((_, n) => n % Math.ceil(users.length / 100) === 0);
    const answered = async () => [...(await listsOf(base, asked)).values()].every(({ length }) => length > 0);
    await until(answered, firstLimitMs, 'Gorse had no recommendations after ten minutes.');
    const firstSeconds = (performance.now() - startedAt) / 1000;
    const run = async (): Promise<ProductRun> => {
      const request = (n: number) =>
        Buffer.from(
          `GET /api/recommend/${users[n % users.length]}?n=${listLength} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
        );
      const { perSecond, latenciesMs } = await flood({ port, request }, connections, floodSeconds);
      const used = cost.stop();
      return {
        importSeconds,
        firstSeconds,
        lists: await listsOf(base, users),
        perSecond,
        p99Ms: percentile(latenciesMs, 99),
        residentBytes: await residentBytes(child.pid ?? 0),
        cpuSeconds: cpuSeconds + used.cpuSeconds,
        peakBytes: used.peakBytes,
      };
    };
    const first = await run();
    const search = await ended(base, /^Search collaborative/, startedAt, searchLimitMs);
    if (search === undefined) return { first, searched: undefined };
    const fit = await ended(base, /^Fit collaborative/, search, searchLimitMs);
    const lists = fit === undefined ? fit : await ended(base, /^Generate offline/, fit, searchLimitMs);
    return { first, searched: lists === undefined ? undefined : await run() };
  } finally {
    cost.stop();
    await stop(child);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function importFeedback(base: string, known: ReadonlyMap<number, readonly number[]>): Promise<number> {
  const events = [...known].flatMap(([user, items]) =>
    items.map((item) => ({
      FeedbackType: 'buy',
      UserId: String(user),
      ItemId: String(item),
      Timestamp: '2026-01-01T00:00:00Z',
    })),
  );
  const batches = Array.from({ length: Math.ceil(events.length / batch) }, (_, n) =>
    events.slice(n * batch, (n + 1) * batch),
  );
  return runConcurrently(batches, importLanes, async (_, part) => {
    const answer = await fetch(`${base}/feedback`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(part),
    });
    if (!answer.ok) throw new Error(`Gorse refused feedback: ${answer.status} ${await answer.text()}`);
  });
}

async function listsOf(base: string, users: readonly number[]): Promise<Map<number, readonly number[]>> {
  const lists = new Map<number, readonly number[]>();
  await runConcurrently(users, lanes, async (_, user) => {
    const answer = await fetch(`${base}/recommend/${user}?n=${listLength}`);
    lists.set(user, ((await answer.json()) as string[] | null)?.map(Number) ?? []);
  });
  return lists;
}

/** When a task that began after `after` (a time of `performance.now`) was complete. Undefined if it takes too long. */
async function ended(
  base: string,
  name: RegExp,
  after: number,
  limitMs: number,
): Promise<number | undefined> {
  const began = performance.timeOrigin + after;
  const isComplete = async () => {
    const tasks = (await (await fetch(`${base}/dashboard/tasks`)).json()) as Task[];
    return tasks.some(
      (task) => name.test(task.Name) && task.Status === 'Complete' && Date.parse(task.StartTime) >= began,
    );
  };
  try {
    await until(isComplete, limitMs, '');
    return performance.now();
  } catch {
    return undefined;
  }
}

async function until(isDone: () => Promise<boolean>, limitMs: number, reason: string): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(reason);
    await sleep(500);
  }
}

const configuration = (databaseUrl: string, redisUrl: string, port: number, rpcPort: number) => `
[database]
cache_store = "${redisUrl}/0"
data_store = "${databaseUrl}"

[master]
host = "127.0.0.1"
port = ${rpcPort}
http_host = "127.0.0.1"
http_port = ${port}
n_jobs = 2

[recommend.data_source]
positive_feedback_types = ["buy"]

[recommend.collaborative]
model_fit_period = "2m"

[recommend.offline]
check_recommend_period = "5s"
refresh_recommend_period = "1m"
enable_latest_recommend = false
enable_user_based_recommend = false
enable_click_through_prediction = false
explore_recommend = { popular = 0.0, latest = 0.0 }

[recommend.online]
fallback_recommend = []
`;
