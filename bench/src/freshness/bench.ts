import type { Tastegraph } from '@tastegraph/sdk';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { percentile, type Report } from '../report.ts';
import { clientOf } from '../sdk-client.ts';
import { prepareShop } from '../serve/prepare.ts';
import { openRecommender, timeUntilVisible } from './visibility.ts';

const shop = { users: 20_000, items: 4000, events: 200_000 };
const goalMs = 50;

/**
 * The time from the response to a write until the first recommendation that reflects it, on two serving processes in turn.
 * The writes are an event (the item is no longer recommended), a change of an item, and the deletion of an item.
 */
export async function benchFreshness(isQuick: boolean): Promise<Report> {
  return withEnvironment((setting) => measure(isQuick ? 100 : 1000, setting), 'all-in-one');
}

async function measure(times: number, { service, admin }: BenchEnvironment): Promise<Report> {
  const { project_id } = await prepareShop(service, admin, shop);
  const client = clientOf(service);
  const { item_dataset_id, event_dataset_id } = await client.getProject({ project_id });
  await using one = await service.startAnother('serving');
  await using other = await service.startAnother('serving');
  const [askOne, askOther] = [
    await openRecommender(one, project_id),
    await openRecommender(other, project_id),
  ];
  const ask = (n: number, user: string) => (n % 2 === 0 ? askOne : askOther)(user);
  const first = async (n: number, user: string) => {
    const [best] = await ask(n, user);
    if (!best) throw new Error(`no recommendations for ${user}`);
    return best;
  };

  const event = await repeat(times, async (n) => {
    const user_id = `u${1 + n}`;
    const { item_id } = await first(n, user_id);
    const event = { event_id: `now${n}`, user_id, item_id, ts: Date.now(), event_type: 'buy' };
    await client.upsertDatasetEvents({ event_dataset_id, events: [event] });
    return timeUntilVisible(async () => (await ask(n, user_id)).every((item) => item.item_id !== item_id));
  });
  const change = await repeat(times, async (n) => {
    const user = `u${1 + n}`;
    const { item_id } = await first(n, user);
    const title = `Changed ${n}`;
    await client.upsertDatasetItems({
      item_dataset_id,
      items: [{ item_id, attributes: { title, price: 1 } }],
    });
    return timeUntilVisible(async () =>
      (await ask(n, user)).some((item) => item.item_id === item_id && item.title === title),
    );
  });
  const deletion = await repeat(times, async (n) => {
    const user = `u${1 + n}`;
    const { item_id } = await first(n, user);
    await deleteItem(client, item_dataset_id, item_id);
    return timeUntilVisible(async () => (await ask(n, user)).every((item) => item.item_id !== item_id));
  });
  const rows = Object.entries({
    'an event': event,
    "an item's change": change,
    "an item's deletion": deletion,
  });
  return {
    bench: 'freshness',
    tables: [
      {
        title: `From the response to a write until the first recommendation that reflects it: ${times} of each, two serving processes`,
        rows: rows.map(([what, ms]) => ({
          what,
          'p50 ms': percentile(ms, 50),
          'p99 ms': percentile(ms, 99),
          'max ms': Math.max(...ms),
        })),
      },
    ],
    goals: rows.map(([what, ms]) => {
      const p99 = percentile(ms, 99);
      return { text: `${what}: p99 at most ${goalMs} ms: ${p99.toFixed(1)}`, reached: p99 <= goalMs };
    }),
    figures: Object.fromEntries(
      rows.map(([what, ms]) => [what, { p50: percentile(ms, 50), p99: percentile(ms, 99) }]),
    ),
  };
}

async function deleteItem(client: Tastegraph, item_dataset_id: string, id: string): Promise<void> {
  await client.deleteDatasetItems({ item_dataset_id, ids: [id] });
}

async function repeat(times: number, work: (n: number) => Promise<number>): Promise<number[]> {
  const results: number[] = [];
  for (let n = 0; n < times; n++) results.push(await work(n));
  return results;
}
