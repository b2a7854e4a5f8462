import type { Tastegraph } from '@tastegraph/sdk';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { peakBytes } from '../process-memory.ts';
import type { Report } from '../report.ts';
import { clientOf, type Datasets } from '../sdk-client.ts';
import { createShop, trainOn } from '../serve/prepare.ts';
import type { ShopSize } from '../serve/synthetic-shop.ts';

interface Sizes {
  readonly shop: ShopSize;
  readonly secondsGoal: number;
}

const full: Sizes = { shop: { users: 1_000_000, items: 100_000, events: 20_000_000 }, secondsGoal: 180 };
const quick: Sizes = { shop: { users: 20_000, items: 4000, events: 200_000 }, secondsGoal: 60 };

/** Peak memory of the worker process. */
const memoryGoal = 4 * 2 ** 30;

type Submit = (
  client: Tastegraph,
  to: { project_id: string; model_id: string },
) => Promise<{ job_id: string }>;

const kinds: Record<string, Submit> = {
  user_list: (client, to) =>
    client.submitQueryingJob({
      ...to,
      name: 'bench',
      query_type: 'user_list',
      queries: [{ conditions: [{ attribute: 'category', value: 'g7', lower_bound: 0.5 }] }],
    }),
  user_distribution: (client, to) =>
    client.submitQueryingJob({
      ...to,
      name: 'bench',
      query_type: 'user_distribution',
      queries: [{ attribute: 'tags', value: 't7' }],
    }),
  clustering: (client, to) =>
    client.submitClusteringJob({
      ...to,
      name: 'bench',
      cluster_type: 'user',
      parameters: { min_user_num: 50 },
    }),
};

/** For each kind of analysis: the time from submission to result, and the peak memory of the worker. */
export async function benchAnalyse(isQuick: boolean): Promise<Report> {
  const sizes = isQuick ? quick : full;
  return withEnvironment((setting) => measure(sizes, setting), 'api');
}

async function measure({ shop, secondsGoal }: Sizes, { service, admin }: BenchEnvironment): Promise<Report> {
  const client = clientOf(service);
  const to = await trained(service, client, await createShop(client, admin, shop));
  const rows = [];
  for (const [kind, submit] of Object.entries(kinds)) {
    // A new worker per job, so that its peak memory is that of the job.
    await using worker = service.startWorker();
    const { job_id } = await submit(client, to);
    const job = await client.waitForJob({ project_id: to.project_id, job_id });
    const seconds = ((job.finished_ts ?? Infinity) - job.created_ts) / 1000;
    rows.push({ kind, seconds, 'worker GiB': (await peakBytes(worker.pid)) / 2 ** 30 });
  }
  const count = (n: number) => n.toLocaleString('en');
  return {
    bench: 'analyse',
    tables: [
      { title: `${count(shop.users)} users, ${count(shop.events)} events, ${count(shop.items)} items`, rows },
    ],
    goals: rows.flatMap(({ kind, seconds, 'worker GiB': gib }) => [
      { text: `${kind} within ${secondsGoal} s: ${seconds.toFixed(1)}`, reached: seconds <= secondsGoal },
      { text: `${kind} in at most 4 GiB: ${gib.toFixed(2)}`, reached: gib * 2 ** 30 <= memoryGoal },
    ]),
    figures: { shop, rows },
  };
}

async function trained(service: BenchEnvironment['service'], client: Tastegraph, datasets: Datasets) {
  await using _worker = service.startWorker();
  return await trainOn(client, datasets, 'buy');
}
