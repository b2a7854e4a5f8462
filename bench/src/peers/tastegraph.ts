import { withEnvironment } from '../environment.ts';
import { runConcurrently } from '../load.ts';
import { residentBytes } from '../process-memory.ts';
import { percentile } from '../report.ts';
import { clientOf, createDatasets, importAll } from '../sdk-client.ts';
import { callUntilLoaded } from '../serve/call-until-loaded.ts';
import { flood } from '../serve/load.ts';
import { trainAndDeploy } from '../serve/prepare.ts';
import { recommendRequests } from '../serve/recommend-requests.ts';
import { connections, floodSeconds, listLength, type ProductRun } from './product.ts';
import { watchTrees } from './watch-tree.ts';

const ts = Date.UTC(2026, 0, 1);
const lanes = Array.from({ length: 4 }, (_, lane) => lane);

/** Tastegraph as one process, from records to answers over HTTP, with `{}` as its parameters. */
export function runTastegraph(known: ReadonlyMap<number, readonly number[]>): Promise<ProductRun> {
  return withEnvironment(async ({ service }) => {
    const cost = watchTrees([service.pid]);
    const client = clientOf(service);
    const datasets = await createDatasets(client, 20);
    const events = [...known].flatMap(([user, items]) =>
      items.map((item) => ({
        event_id: `${user}-${item}`,
        user_id: String(user),
        item_id: String(item),
        event_type: 'buy',
        ts,
      })),
    );
    const ids = new Set(events.map(({ item_id }) => item_id));
    const users = [...known.keys()].map(String);
    const seconds = await importAll(client, datasets, {
      users: users.map((user_id) => ({ user_id, attributes: {} })),
      items: [...ids].map((item_id) => ({ item_id, attributes: {} })),
      events,
    });
    const startedAt = performance.now();
    const project_id = await trainAndDeploy(client, datasets, 'buy', { parameters: {} });
    const requests = await recommendRequests(service, listLength);
    const request = requests({ name: 'bench', project_id, users, attributes: [], filter: '', capped: '' });
    await callUntilLoaded({ port: service.port, request });
    const firstSeconds = (performance.now() - startedAt) / 1000;
    const { perSecond, latenciesMs } = await flood(
      { port: service.port, request },
      connections,
      floodSeconds,
    );
    const used = cost.stop();
    const lists = new Map<number, readonly number[]>();
    await runConcurrently(users, lanes, async (_, user_id) => {
      const { results } = await client.recommendItemsToUser({ project_id, user_id, limit: listLength });
      lists.set(
        Number(user_id),
        results.map(({ item }) => Number(item.item_id)),
      );
    });
    return {
      importSeconds: seconds.users + seconds.items + seconds.events,
      firstSeconds,
      lists,
      perSecond,
      p99Ms: percentile(latenciesMs, 99),
      residentBytes: await residentBytes(service.pid),
      ...used,
    };
  }, 'all-in-one');
}
