import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds } from '../cpu.ts';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { residentBytes } from '../process-memory.ts';
import { percentile, type Report } from '../report.ts';
import { clientOf } from '../sdk-client.ts';
import { flood } from '../serve/load.ts';
import { type Prepared, prepareShop } from '../serve/prepare.ts';
import { recommendRequests } from '../serve/recommend-requests.ts';
import type { ShopSize } from '../serve/synthetic-shop.ts';

interface Sizes {
  readonly shop: ShopSize;
  readonly fileUsers: number;
  readonly liveSeconds: number;
  readonly ratioGoal: number;
}

const full: Sizes = {
  shop: { users: 1_000_000, items: 100_000, events: 20_000_000 },
  fileUsers: 50_000,
  liveSeconds: 20,
  ratioGoal: 1,
};
// The goal is lower: a short job has hardly warmed up when it ends.
const quick: Sizes = {
  shop: { users: 20_000, items: 4000, events: 400_000 },
  fileUsers: 2000,
  liveSeconds: 5,
  ratioGoal: 0.7,
};

const limit = 10;
/** As many as the job has in progress. */
const connections = 32;
/** Half of the memory at the end is garbage that was not collected yet: this is far below what a leak would add. */
const memoryGoal = 1.3;
const sampleMs = 200;

/** Recommending to all users as a job, beside the call of one process; then the same job with its worker killed halfway. */
export async function benchBatch(isQuick: boolean): Promise<Report> {
  const sizes = isQuick ? quick : full;
  return withEnvironment((setting) => measure(sizes, setting));
}

async function measure(sizes: Sizes, setting: BenchEnvironment): Promise<Report> {
  const { service, admin } = setting;
  const prepared = await prepare(sizes, setting);
  const live = await measureLive(sizes, setting, prepared);
  const settings = { RECOMMENDING_FILE_USERS: String(sizes.fileUsers) };
  const client = clientOf(service);
  const { project_id, attributes } = prepared;
  const submit = async () =>
    (
      await client.submitRecommendingJob({
        project_id,
        name: 'bench',
        format: 'NDJSON',
        limit,
        attributes: [...attributes],
      })
    ).job_id;
  const wait = async (job_id: string) => {
    const { job_result } = await client.waitForJob({ project_id, job_id, job_type: 'RECOMMENDING' });
    return readFiles(service.baseUrl, job_result.download_urls ?? []);
  };

  const undisturbed = await (async () => {
    await using worker = service.startWorker(settings);
    const samples = sampleMemory(worker.pid);
    const startMs = performance.now();
    const cpu = cpuSeconds(worker.pid) ?? 0;
    const job_id = await submit();
    await client.waitForJob({ project_id, job_id, job_type: 'RECOMMENDING' });
    const seconds = (performance.now() - startMs) / 1000;
    const cpuUsed = (cpuSeconds(worker.pid) ?? Number.NaN) - cpu;
    return { seconds, cpuUsed, memory: samples.stop(), files: await wait(job_id) };
  })();

  const job_id = await submit();
  const killed = service.startWorker(settings);
  await waitForParts(admin, job_id, Math.floor(sizes.shop.users / sizes.fileUsers / 2));
  await killed.kill();
  await using _worker = service.startWorker(settings);
  const resumed = await wait(job_id);

  const { users } = undisturbed.files;
  const perCpuSecond = users / undisturbed.cpuUsed;
  const ratio = perCpuSecond / live.perCpuSecond;
  const half = Math.floor(undisturbed.memory.length / 2);
  const growth =
    percentile(undisturbed.memory.slice(half), 90) / percentile(undisturbed.memory.slice(half / 2, half), 90);
  const peak = Math.max(...undisturbed.memory);
  return {
    bench: 'batch',
    tables: [
      {
        title: `${prepared.name}, ${sizes.shop.events.toLocaleString('en')} events: limit ${limit}, ${attributes.length} attributes (CPU without PostgreSQL's)`,
        rows: [
          {
            way: 'the call, one process',
            'users/s': Math.round(live.perSecond),
            'users per CPU second': Math.round(live.perCpuSecond),
          },
          {
            way: 'the job, one thread',
            'users/s': Math.round(users / undisturbed.seconds),
            'users per CPU second': Math.round(perCpuSecond),
          },
        ],
      },
      {
        title: 'The job',
        rows: [
          {
            users,
            seconds: undisturbed.seconds,
            files: undisturbed.files.files,
            'peak memory MB': peak / 1e6,
            'memory, 2nd half of 2nd quarter': growth,
          },
        ],
      },
    ],
    goals: [
      {
        text: `per CPU second, at least ${sizes.ratioGoal} times the users of the call: ${ratio.toFixed(2)}`,
        reached: ratio >= sizes.ratioGoal,
      },
      {
        text: `every user exactly once: ${users} of ${sizes.shop.users}`,
        reached: isComplete(undisturbed.files, sizes),
      },
      {
        text: `killed halfway and resumed: every user exactly once (${resumed.users}), with the same answers`,
        reached: isComplete(resumed, sizes) && resumed.digest === undisturbed.files.digest,
      },
      {
        text: `flat memory: at most ${memoryGoal} times: ${growth.toFixed(2)}`,
        reached: growth <= memoryGoal,
      },
    ],
    figures: { live, seconds: undisturbed.seconds, users, perCpuSecond, ratio, peak, growth },
  };
}

/** Trains and deploys with a worker that is stopped again. */
async function prepare(sizes: Sizes, { service, admin }: BenchEnvironment): Promise<Prepared> {
  await using _worker = service.startWorker();
  return await prepareShop(service, admin, sizes.shop);
}

async function measureLive(
  { liveSeconds }: Sizes,
  { service: cell }: BenchEnvironment,
  prepared: Prepared,
): Promise<{ perSecond: number; perCpuSecond: number }> {
  await using service = await cell.startAnother('serving');
  const requestsOf = await recommendRequests(service, limit);
  const target = { port: service.port, request: requestsOf(prepared) };
  await flood(target, connections, Math.min(5, liveSeconds));
  const before = cpuSeconds(service.pid) ?? 0;
  const { perSecond, latenciesMs } = await flood(target, connections, liveSeconds);
  const cpu = (cpuSeconds(service.pid) ?? Number.NaN) - before;
  return { perSecond, perCpuSecond: latenciesMs.length / cpu };
}

function sampleMemory(pid: number): { stop(): number[] } {
  const samples: number[] = [];
  const timer = setInterval(() => {
    void residentBytes(pid).then((bytes) => samples.push(bytes));
  }, sampleMs);
  return {
    stop: () => {
      clearInterval(timer);
      return samples;
    },
  };
}

async function waitForParts(admin: BenchEnvironment['admin'], jobId: string, parts: number): Promise<void> {
  const text = 'SELECT count(*)::int AS parts FROM job_parts JOIN jobs USING (job_key) WHERE job_id = $1';
  for (;;) {
    const { rows } = await admin.query<{ parts: number }>(text, [jobId]);
    if ((rows[0]?.parts ?? 0) >= parts) return;
    await sleep(20);
  }
}

interface ReadFiles {
  readonly files: number;
  readonly users: number;
  readonly distinct: number;
  /** Of all lines. */
  readonly digest: string;
}

async function readFiles(baseUrl: string, urls: readonly string[]): Promise<ReadFiles> {
  const digest = createHash('sha256');
  const seen = new Set<string>();
  let users = 0;
  for (const url of urls) {
    const { pathname, search } = new URL(url);
    const { body } = await fetch(`${baseUrl}${pathname}${search}`);
    if (!body) throw new Error('the file is missing');
    for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
      digest.update(line);
      users++;
      seen.add((JSON.parse(line) as { user_id: string }).user_id);
    }
  }
  return { files: urls.length, users, distinct: seen.size, digest: digest.digest('hex') };
}

const isComplete = ({ users, distinct }: ReadFiles, { shop }: Sizes) =>
  users === shop.users && distinct === shop.users;
