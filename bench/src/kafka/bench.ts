import { setTimeout as sleep } from 'node:timers/promises';
import { Admin, Producer } from '@platformatic/kafka';
import { type ConsumerProcess, type PrivateKafka, startConsumer, startKafka } from '@tastegraph/dev';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { openRecommender, timeUntilVisible } from '../freshness/visibility.ts';
import { generateEvents } from '../ingest/events.ts';
import { percentile, type Report } from '../report.ts';
import { clientOf } from '../sdk-client.ts';
import { prepareShop } from '../serve/prepare.ts';

const shop = { users: 20_000, items: 4000, events: 200_000 };
const partitions = 4;
/** Far more than a run takes. */
const limitMs = 300_000;

interface Sizes {
  readonly events: number;
  readonly singles: number;
  readonly perSecondGoal: number;
  readonly p99GoalMs: number;
}

const full: Sizes = { events: 400_000, singles: 1000, perSecondGoal: 5000, p99GoalMs: 100 };
// The goals are lower: a broker, a database, a server and the consumer share the cores with what else runs there.
const quick: Sizes = { events: 50_000, singles: 100, perSecondGoal: 1000, p99GoalMs: 1000 };

/**
 * From a topic of a real broker through `tastegraph consume`: events per second until the service has acknowledged them, with
 * one and with two processes, and the time from producing an event until the first recommendation that reflects it.
 */
export async function benchKafka(isQuick: boolean): Promise<Report> {
  const sizes = isQuick ? quick : full;
  await using kafka = await startKafka();
  return await withEnvironment((setting) => measure(sizes, kafka, setting), 'all-in-one');
}

async function measure(sizes: Sizes, kafka: PrivateKafka, setting: BenchEnvironment): Promise<Report> {
  const rates = [];
  for (const processes of [1, 2]) rates.push(await measureRate(sizes.events, processes, kafka, setting));
  const latencies = await measureLatency(sizes.singles, kafka, setting);
  const [p50, p99, max] = [percentile(latencies, 50), percentile(latencies, 99), Math.max(...latencies)];
  const perSecond = rates[0]?.perSecond ?? 0;
  return {
    bench: 'kafka',
    tables: [
      {
        title: `From a topic with ${partitions} partitions to acknowledged: ${sizes.events.toLocaleString('en')} events`,
        rows: rates.map(({ processes, perSecond: rate }) => ({ processes, 'events /s': Math.round(rate) })),
      },
      {
        title: 'From producing an event until the first recommendation that reflects it',
        rows: [{ events: latencies.length, 'p50 ms': p50, 'p99 ms': p99, 'max ms': max }],
      },
    ],
    goals: [
      {
        text: `one process: at least ${sizes.perSecondGoal} events per second: ${Math.round(perSecond)}`,
        reached: perSecond >= sizes.perSecondGoal,
      },
      { text: `p99 at most ${sizes.p99GoalMs} ms: ${p99.toFixed(1)}`, reached: p99 <= sizes.p99GoalMs },
    ],
    figures: { rates, latency_ms: { p50, p99, max } },
  };
}

/** The topic is full before the consumers start. The clock starts when the first events are written. */
async function measureRate(
  events: number,
  processes: number,
  kafka: PrivateKafka,
  { service }: BenchEnvironment,
): Promise<{ processes: number; perSecond: number }> {
  const topic = `rate-${processes}`;
  await createTopic(kafka, topic);
  const event_dataset_id = await service.newEventDataset();
  const source = generateEvents(processes);
  const producer = new Producer(kafka.connection);
  for (let sent = 0; sent < events; sent += 1000) {
    const messages = Array.from({ length: 1000 }, (_, n) => ({
      topic,
      partition: n % partitions,
      value: Buffer.from(JSON.stringify(source.next().value)),
    }));
    await producer.send({ messages });
  }
  await producer.close();
  const client = clientOf(service);
  const { write_key } = await client.createWriteKey({ name: topic, event_dataset_id });
  await using running = new AsyncDisposableStack();
  const args = ['--topics', topic, '--group', topic, '--dataset', event_dataset_id];
  const consumers: ConsumerProcess[] = Array.from({ length: processes }, () =>
    running.use(startConsumer(kafka, { baseUrl: service.baseUrl, writeKey: write_key, args })),
  );
  const count = async () => (await client.getEventDataset({ event_dataset_id })).record_count;
  const first = await waitFor(count, (written) => written > 0, consumers);
  const last = await waitFor(count, (written) => written >= events, consumers);
  return { processes, perSecond: ((last.value - first.value) / (last.at - first.at)) * 1000 };
}

async function measureLatency(
  times: number,
  kafka: PrivateKafka,
  { service, admin }: BenchEnvironment,
): Promise<number[]> {
  const topic = 'latency';
  await createTopic(kafka, topic);
  const { project_id } = await prepareShop(service, admin, shop);
  const client = clientOf(service);
  const { event_dataset_id } = await client.getProject({ project_id });
  const { write_key } = await client.createWriteKey({ name: topic, event_dataset_id });
  const args = ['--topics', topic, '--group', topic, '--dataset', event_dataset_id];
  await using consumer = startConsumer(kafka, { baseUrl: service.baseUrl, writeKey: write_key, args });
  await waitFor(
    async () => consumer.output(),
    (text) => text.includes(topic),
    [consumer],
  );
  const recommend = await openRecommender(service, project_id);
  const producer = new Producer(kafka.connection);
  const latencies: number[] = [];
  // The first ones open connections and compile code.
  for (let n = -20; n < times; n++) {
    const user_id = `u${100 + n}`;
    const [best] = await recommend(user_id);
    if (!best) throw new Error(`no recommendations for ${user_id}`);
    const event = {
      event_id: `kafka${n}`,
      user_id,
      item_id: best.item_id,
      ts: Date.now(),
      event_type: 'buy',
    };
    const startedAt = performance.now();
    await producer.send({ messages: [{ topic, value: Buffer.from(JSON.stringify(event)) }] });
    await timeUntilVisible(async () =>
      (await recommend(user_id)).every(({ item_id }) => item_id !== best.item_id),
    );
    if (n >= 0) latencies.push(performance.now() - startedAt);
  }
  await producer.close();
  return latencies;
}

async function createTopic({ connection }: PrivateKafka, topic: string): Promise<void> {
  const admin = new Admin(connection);
  await admin.createTopics({ topics: [topic], partitions, replicas: 1 });
  await admin.close();
}

async function waitFor<T>(
  read: () => Promise<T>,
  isReached: (value: T) => boolean,
  consumers: readonly ConsumerProcess[],
): Promise<{ value: T; at: number }> {
  for (const end = performance.now() + limitMs; performance.now() < end; ) {
    const value = await read();
    if (isReached(value)) return { value, at: performance.now() };
    if (consumers.some((consumer) => consumer.hasExited())) break;
    await sleep(20);
  }
  throw new Error(`The consumers did not get there: ${consumers.map((one) => one.output()).join('\n')}`);
}
