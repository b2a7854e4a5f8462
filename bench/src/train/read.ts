import { cpuSeconds } from '../cpu.ts';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { clientOf, createProject } from '../sdk-client.ts';
import { createShop } from '../serve/prepare.ts';
import type { ShopSize } from '../serve/synthetic-shop.ts';

const full: ShopSize = { users: 100_000, items: 40_000, events: 3_000_000 };
const quick: ShopSize = { users: 50_000, items: 20_000, events: 1_000_000 };
const readerCounts = [1, 2, 4];

export interface Reading {
  readonly events: number;
  readonly readers: number;
  readonly seconds: number;
  /** Of the worker, for the whole training. */
  readonly workerCpuSeconds: number;
  /** Of PostgreSQL, for the whole training. */
  readonly databaseCpuSeconds: number;
}

/** How long a training spends reading a synthetic shop, by the number of readers. Its algorithm itself takes little time. */
export function measureReading(isQuick: boolean): Promise<Reading[]> {
  return withEnvironment((environment) => measure(isQuick ? quick : full, environment), 'api');
}

async function measure(size: ShopSize, { service, admin, postgres }: BenchEnvironment): Promise<Reading[]> {
  const client = clientOf(service);
  const project_id = await createProject(client, await createShop(client, admin, size));
  const { algorithm_id } = await client.createAlgorithm({
    project_id,
    name: 'popular',
    algorithm_type: 'POPULAR',
    algorithm_parameters: {},
  });
  const readings: Reading[] = [];
  // The first reads from disk, and is not counted.
  for (const readers of [1, ...readerCounts]) {
    await using worker = service.startWorker({ TRAINING_READERS: `${readers}` });
    const before = cpuSeconds(postgres.pid) ?? 0;
    const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: 'bench' });
    const { job_result } = await client.waitForJob({ project_id, job_id, job_type: 'TRAINING' });
    const { training } = await client.getModel({ project_id, model_id: job_result.model_id });
    readings.push({
      events: size.events,
      readers,
      seconds: training.seconds.read,
      workerCpuSeconds: cpuSeconds(worker.pid) ?? 0,
      databaseCpuSeconds: (cpuSeconds(postgres.pid) ?? 0) - before,
    });
  }
  return readings.slice(1);
}
