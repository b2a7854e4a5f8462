import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { cpuSeconds } from '../cpu.ts';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { clientOf } from '../sdk-client.ts';
import type { ShopSize } from '../serve/synthetic-shop.ts';
import { createShop } from './create-shop.ts';

const sizeOf = (events: number): ShopSize => ({
  users: Math.ceil(events / 30),
  items: Math.ceil(events / 75),
  events,
});

/** All parameters are given, so that nearly all of the training is two fits: one for the report, one for the model. */
const parameters = {
  neighbors: 100,
  regularization: 0.5,
  popularity_regularization: 0.5,
  activity_exponent: 0.5,
  popularity_scaling: 0.5,
  recency: 0,
  taste_weight: 1,
  event_weights: { buy: 1 },
  attribute_weight: 0,
};

export interface SharedTraining {
  readonly events: number;
  readonly workers: number;
  readonly searchSeconds: number;
  readonly fitSeconds: number;
  /** Blocks that were offered, and those that another worker computed. */
  readonly offered: number;
  readonly helped: number;
  readonly bytesWritten: number;
  /** Of each worker: says what sharing saves even on a busy machine. */
  readonly cpuSeconds: readonly number[];
  readonly sha256: string;
}

interface SeenBlock {
  readonly id: string;
  readonly stage: string;
  readonly shared: number;
  readonly input: number;
  readonly output: number;
}

/** A training of a synthetic shop with workers of one thread each: by one alone, and by several that share its fits. */
export function measureSharing(events: number): Promise<SharedTraining[]> {
  return withEnvironment((environment) => measure(sizeOf(events), environment), 'api');
}

async function measure(size: ShopSize, { service, admin }: BenchEnvironment): Promise<SharedTraining[]> {
  const client = clientOf(service);
  const project_id = await createShop(client, admin, size);
  const { algorithm_id } = await client.createAlgorithm({
    project_id,
    name: 'g1',
    algorithm_type: 'G1',
    algorithm_parameters: parameters,
  });
  const train = async (workers: number): Promise<SharedTraining> => {
    const settings = { TRAINING_THREADS: '1', TRAINING_SHARED_FROM_EVENTS: workers > 1 ? '100000' : '0' };
    await using stack = new AsyncDisposableStack();
    const started = Array.from({ length: workers }, () => stack.use(service.startWorker(settings)));
    const { job_id } = await client.submitTrainingJob({ project_id, algorithm_id, name: 'bench' });
    const end = new AbortController();
    const blocks = watchBlocks(admin, end.signal);
    const { job_result } = await client.waitForJob({ project_id, job_id, job_type: 'TRAINING' });
    end.abort();
    const { training } = await client.getModel({ project_id, model_id: job_result.model_id });
    const { rows } = await admin.query<{ sha256: string }>(
      'SELECT object_sha256 AS sha256 FROM models WHERE model_id = $1',
      [job_result.model_id],
    );
    const { search, fit } = training.seconds;
    return {
      events: size.events,
      workers,
      searchSeconds: search,
      fitSeconds: fit,
      ...(await blocks),
      cpuSeconds: started.map(({ pid }) => cpuSeconds(pid) ?? 0),
      sha256: rows[0]!.sha256,
    };
  };
  return [await train(1), await train(2)];
}

/** How many blocks there were until `signal`, and the bytes of their objects. Blocks of a stage that ends at once may be missed. */
async function watchBlocks(admin: Client, signal: AbortSignal) {
  const seen = new Map<string, SeenBlock>();
  while (!signal.aborted) {
    const { rows } = await admin.query<SeenBlock>(
      `SELECT attempt || '-' || stage || '-' || block AS id, attempt || '-' || stage AS stage,
        (task->'shared'->>'size')::float8 AS shared, (task->'input'->>'size')::float8 AS input,
        coalesce((output->>'size')::float8, 0) AS output FROM training_blocks`,
    );
    for (const row of rows) seen.set(row.id, row);
    await sleep(50);
  }
  const blocks = [...seen.values()];
  const shared = new Map(blocks.map((block) => [block.stage, block.shared]));
  const sum = (sizes: Iterable<number>) => [...sizes].reduce((total, size) => total + size, 0);
  return {
    offered: blocks.length,
    helped: blocks.filter(({ output }) => output > 0).length,
    bytesWritten: sum(shared.values()) + sum(blocks.map(({ input, output }) => input + output)),
  };
}
