import type { Tastegraph } from '@tastegraph/sdk';
import { clientOf } from '../developer.ts';
import { percentile, type Report } from '../report.ts';
import { prepareShop } from '../serve/prepare.ts';
import { encodeRequest, RawClient } from '../serve/raw-client.ts';
import type { Service } from '../service.ts';
import { type Setting, withSetting } from '../setting.ts';

const shop = { users: 20_000, items: 4000, events: 200_000 };
const goalMs = 50;
/** Longer than any of them may take. */
const giveUpMs = 5000;

/**
 * From the answer of a write to the first recommendation that shows its effect, asked of two serving processes in turn: an
 * event (the item bought is not recommended any more), an item's change, an item's deletion.
 */
export async function benchFreshness(isQuick: boolean): Promise<Report> {
  return withSetting((setting) => measure(isQuick ? 100 : 1000, setting), 'all-in-one');
}

async function measure(times: number, { service, admin }: Setting): Promise<Report> {
  const { project_id } = await prepareShop(service, admin, shop);
  const client = clientOf(service);
  const { item_dataset_id, event_dataset_id } = await client.getProject({ project_id });
  await using one = await service.startAnother('serving');
  await using other = await service.startAnother('serving');
  const [askOne, askOther] = [await askerOf(one, project_id), await askerOf(other, project_id)];
  const ask = (n: number, user: string) => (n % 2 === 0 ? askOne : askOther)(user);
  const first = async (n: number, user: string) => {
    const [best] = await ask(n, user);
    if (!best) throw new Error(`nothing is recommended to ${user}`);
    return best;
  };

  const event = await repeat(times, async (n) => {
    const user_id = `u${1 + n}`;
    const { item_id } = await first(n, user_id);
    const event = { event_id: `now${n}`, user_id, item_id, ts: Date.now(), event_type: 'buy' };
    await client.upsertDatasetEvents({ event_dataset_id, events: [event] });
    return untilSeen(async () => (await ask(n, user_id)).every((item) => item.item_id !== item_id));
  });
  const change = await repeat(times, async (n) => {
    const user = `u${1 + n}`;
    const { item_id } = await first(n, user);
    const title = `Changed ${n}`;
    await client.upsertDatasetItems({
      item_dataset_id,
      items: [{ item_id, attributes: { title, price: 1 } }],
    });
    return untilSeen(async () =>
      (await ask(n, user)).some((item) => item.item_id === item_id && item.title === title),
    );
  });
  const deletion = await repeat(times, async (n) => {
    const user = `u${1 + n}`;
    const { item_id } = await first(n, user);
    await deleteItem(client, item_dataset_id, item_id);
    return untilSeen(async () => (await ask(n, user)).every((item) => item.item_id !== item_id));
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
        title: `From a write's answer to the first answer that shows it, ${times} times each, two serving processes`,
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

type Item = { readonly item_id: string; readonly title?: string | null };

async function askerOf(server: Service, project_id: string): Promise<(user_id: string) => Promise<Item[]>> {
  const path = '/recommend-items-to-user';
  const headers = await server.headersFor(path);
  const client = await RawClient.open(server.port);
  return async (user_id) => {
    const request = { user_id, limit: 20, attributes: ['title'], project_id };
    const { status, body } = await client.call(encodeRequest(path, headers, request));
    if (status !== 200) throw new Error(body);
    return (JSON.parse(body) as { results: { item: Item }[] }).results.map(({ item }) => item);
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

/** Milliseconds from now until it shows. */
async function untilSeen(shows: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await shows()))
    if (performance.now() - startedAt > giveUpMs) throw new Error(`not seen within ${giveUpMs} ms`);
  return performance.now() - startedAt;
}
