import { setTimeout as sleep } from 'node:timers/promises';
import { Admin, Consumer, Producer } from '@platformatic/kafka';
import {
  type ConsumerProcess,
  findFreePort,
  type PrivateKafka,
  startConsumer,
  startKafka,
} from '@tastegraph/dev';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Caller, makeCredentials } from '../stack/caller.ts';
import { cloneDatabase, runSql } from '../stack/database.ts';
import { makeDeployed } from '../stack/deployment-cell.ts';
import { type ServerProcess, startServer } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import type { TestProject } from '../stack/training.ts';
import { shareEnv } from './process-env.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const cell = perFile(async () => new AsyncDisposableStack());
let kafka: PrivateKafka;
let producer: Producer;
let databaseUrl: string;
let startProduct: () => Promise<ServerProcess>;
let product: ServerProcess;
let caller: Caller;
let project: TestProject;
let writeKey: string;
/** A topic per test. */
let topic: string;
let topics = 0;

beforeAll(async () => {
  kafka = cell.use(await startKafka());
  producer = new Producer(kafka.connection);
  cell.defer(() => producer.close());
  const database = await cloneDatabase();
  cell.defer(database.drop);
  databaseUrl = database.url;
  const env = await shareEnv(cell, databaseUrl, { PORT: String(await findFreePort()) });
  startProduct = async () => {
    product = cell.use(await startServer('all-in-one', env));
    return product;
  };
  await startProduct();
  caller = new Caller(product.baseUrl, await makeCredentials(databaseUrl));
  project = await makeDeployed(caller);
  const { event_dataset_id } = project;
  ({ write_key: writeKey } = await caller.call('createWriteKey', { name: 'kafka', event_dataset_id }));
  // The first run downloads the broker.
}, 400_000);

beforeEach(async () => {
  topics += 1;
  topic = `visits-${topics}`;
  const admin = new Admin(kafka.connection);
  onTestFinished(() => admin.close());
  await admin.createTopics({ topics: [topic, `${topic}-rejected`], partitions: 3, replicas: 1 });
});

function consume(...args: string[]): ConsumerProcess {
  const consumer = startConsumer(kafka, {
    baseUrl: product.baseUrl,
    writeKey,
    args: ['--topics', topic, '--group', topic, '--dataset', project.event_dataset_id, ...args],
  });
  onTestFinished(() => consumer[Symbol.asyncDispose]());
  return consumer;
}

/** By key, so that they are spread over the partitions. */
async function produce(values: readonly unknown[], keys = values.map((_, index) => String(index))) {
  const messages = values.map((value, index) => ({
    topic,
    key: Buffer.from(keys[index] ?? ''),
    value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  }));
  await producer.send({ messages });
}

const event = (event_id: string, fields: object = {}) => ({
  event_id,
  user_id: 'kate',
  item_id: 'i0',
  ts: 1_700_000_000_000,
  event_type: 'view',
  ...fields,
});

/** The IDs of the events that begin with the prefix, sorted. */
async function writtenIds(prefix: string): Promise<string[]> {
  const rows = await runSql<{ event_id: string }>(
    databaseUrl,
    `SELECT event_id FROM events WHERE starts_with(event_id, '${prefix}') ORDER BY 1`,
  );
  return rows.map(({ event_id }) => event_id);
}
const untilWritten = (prefix: string, ids: readonly string[], consumer: ConsumerProcess) =>
  expect
    .poll(() => writtenIds(prefix), { timeout: 60_000, interval: 200, message: consumer.output() })
    .toEqual(ids.toSorted());

test('a record of a topic, in the shape of its producer, counts in the next recommendation', async () => {
  const { project_id } = project;
  const recommended = async () => {
    const { results } = await caller.call('recommendItemsToUser', { project_id, user_id: 'u1', limit: 5 });
    return results.map(({ item }) => item.item_id);
  };
  const [best = ''] = await recommended();
  consume('--map', 'user_id=customer.id,item_id=product.sku,ts=at', '--event-type', 'buy');
  await produce([{ customer: { id: 'u1' }, product: { sku: best }, at: '2026-01-05T10:00:00Z', page: 7 }]);
  await expect.poll(recommended, { timeout: 60_000 }).not.toContain(best);
  const [written = ''] = await writtenIds(topic);
  const { event_dataset_id } = project;
  expect(written).toMatch(new RegExp(`^${topic}/[012]/0$`));
  expect(await caller.call('getDatasetEvent', { event_dataset_id, event_id: written })).toMatchObject({
    item_id: best,
    event_type: 'buy',
    ts: Date.parse('2026-01-05T10:00:00Z'),
  });
});

test('no event is missing after the server and a consumer were killed, and the server was away for ten seconds', async () => {
  const ids: string[] = [];
  const stopped = new AbortController();
  const producing = (async () => {
    while (!stopped.signal.aborted) {
      const batch = Array.from({ length: 100 }, (_, n) => `k${ids.length + n}`);
      await produce(
        batch.map((id) => event(id)),
        batch,
      );
      ids.push(...batch);
      await sleep(100);
    }
  })();
  const killed = consume();
  await expect.poll(async () => (await writtenIds('k')).length, { timeout: 60_000 }).toBeGreaterThan(500);
  product.signal('SIGKILL');
  await product.ended;
  await sleep(5000);
  // It holds records that it has read and could not write.
  await killed.end('SIGKILL');
  const survivor = consume();
  await sleep(5000);
  await startProduct();
  await sleep(2000);
  stopped.abort();
  await producing;
  expect(ids.length).toBeGreaterThan(5000);
  await untilWritten('k', ids, survivor);
  expect(await survivor.end('SIGTERM')).toBe(0);
});

/** The records of the topic of rejected ones, from the first on, until the test ends. */
async function readRejected() {
  const reader = new Consumer({ ...kafka.connection, groupId: `${topic}-reader` });
  onTestFinished(() => reader.close(true));
  return reader.consume({ topics: [`${topic}-rejected`], mode: 'earliest' });
}

test('records that cannot be written go to another topic with the reason, and do not stop the rest', async () => {
  const consumer = consume('--dead-letters', `${topic}-rejected`);
  const values = [
    event('good1'),
    'not JSON',
    '[1, 2]',
    event('bad1', { user_id: undefined }),
    event('bad2', { ts: 'yesterday' }),
    event('good2'),
  ];
  // All in one partition: the last one comes after the bad ones.
  await produce(
    values,
    values.map(() => 'same'),
  );
  await untilWritten('good', ['good1', 'good2'], consumer);
  const rejected = await readRejected();
  const read: string[][] = [];
  for await (const { value, headers } of rejected) {
    const named = new Map([...headers].map(([name, text]) => [name.toString(), text.toString()]));
    expect(named.get('tastegraph.topic')).toBe(topic);
    read.push([
      value.toString().slice(0, 8),
      named.get('tastegraph.offset') ?? '',
      named.get('tastegraph.code') ?? '',
    ]);
    if (read.length === 4) break;
  }
  expect(read.toSorted((a, b) => Number(a[1]) - Number(b[1]))).toEqual([
    ['not JSON', '1', 'RECORD_UNREADABLE'],
    ['[1, 2]', '2', 'RECORD_UNREADABLE'],
    ['{"event_', '3', 'FIELD_MISSING'],
    ['{"event_', '4', 'FIELD_INVALID'],
  ]);
});

test('large rejected records are stored too, and do not stop the rest', async () => {
  const lengths = [600_000, 600_000, 950_000];
  for (const length of lengths) await produce(['x'.repeat(length)], ['same']);
  await produce([event('large-after')], ['same']);
  const consumer = consume('--dead-letters', `${topic}-rejected`);
  await untilWritten('large-after', ['large-after'], consumer);
  const rejected = await readRejected();
  const read = new Map<string, number>();
  for await (const { value, headers } of rejected) {
    const offset = [...headers].find(([name]) => String(name) === 'tastegraph.offset');
    read.set(String(offset?.[1]), value.length);
    if (read.size === lengths.length) break;
  }
  expect(Object.fromEntries(read)).toEqual({ 0: 600_000, 1: 600_000, 2: 0 });
});

test('a group that starts at the end skips only what was there before its first start', async () => {
  await produce([event('latest-old')]);
  const first = consume('--from', 'latest');
  await expect.poll(() => first.output(), { timeout: 60_000 }).toContain('Reading');
  expect(await first.end('SIGTERM')).toBe(0);
  await produce([event('latest-new')]);
  await untilWritten('latest-', ['latest-new'], consume('--from', 'latest'));
});

test('a consumer goes on by itself after the broker was killed and away for ten seconds', async () => {
  const consumer = consume();
  await produce([event('before')]);
  await untilWritten('before', ['before'], consumer);
  await kafka.kill();
  // Longer than the client of Kafka tries.
  await expect.poll(() => consumer.output(), { timeout: 60_000 }).toContain('Connecting again');
  await sleep(10_000);
  await kafka.restart();
  const produced = () =>
    produce([event('after')]).then(
      () => true,
      () => false,
    );
  await expect.poll(produced, { timeout: 60_000 }).toBe(true);
  await untilWritten('after', ['after'], consumer);
  expect(consumer.hasExited()).toBe(false);
});

test('a revoked write key ends the command with what to do, and commits nothing', async () => {
  const { event_dataset_id } = project;
  const { write_key, api_key } = await caller.call('createWriteKey', { name: 'gone', event_dataset_id });
  await caller.call('revokeApiKey', { api_key });
  await sleep(2500);
  await produce([event('kept')]);
  const args = ['--topics', topic, '--group', topic, '--dataset', event_dataset_id];
  const refused = startConsumer(kafka, { baseUrl: product.baseUrl, writeKey: write_key, args });
  onTestFinished(() => refused[Symbol.asyncDispose]());
  await expect.poll(() => refused.hasExited(), { timeout: 60_000 }).toBe(true);
  expect(await refused.end('SIGTERM')).toBe(3);
  await untilWritten('kept', ['kept'], consume());
});
