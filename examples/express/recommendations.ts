import { randomUUID } from 'node:crypto';
import { Tastegraph, TastegraphError } from '@tastegraph/sdk';
import { stockOf } from './catalog.ts';

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
}

const project_id = setting('TASTEGRAPH_PROJECT_ID');
const event_dataset_id = setting('TASTEGRAPH_EVENT_DATASET_ID');
const item_dataset_id = setting('TASTEGRAPH_ITEM_DATASET_ID');

const client = new Tastegraph({
  baseUrl: setting('TASTEGRAPH_URL'),
  apiKey: setting('TASTEGRAPH_API_KEY'),
  apiSecret: setting('TASTEGRAPH_API_SECRET'),
  // One token for all calls. The key needs to allow no others.
  scopes: [
    'recommendItemsToUser',
    'recommendItemsToItem',
    'upsertDatasetEvents',
    'upsertDatasetItems',
    'listDatasetEvents',
  ],
  // Longer than this, and the page does without.
  timeoutMs: Number(process.env.TASTEGRAPH_TIMEOUT_MS ?? 300),
});

const filter_query = '!has(item.stock) || item.stock > 0';
const maxEventsPerMove = 1000;

/** Undefined if Tastegraph fails or does not answer in time: the page then shows something else. */
async function attempt<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof TastegraphError)) throw error;
    console.warn(error.message);
    return undefined;
  }
}

const idsOf = (answer: { results: { item: { item_id: string } }[] } | undefined) =>
  answer?.results.map(({ item }) => item.item_id);

/** Books for the shopper's home page: new to them, and in stock. */
export const recommend = async (user_id: string, cart: string[]): Promise<string[] | undefined> =>
  idsOf(
    await attempt(
      client.recommendItemsToUser({
        project_id,
        user_id,
        context_items: [...new Set(cart)],
        exclude_event_types: ['buy', 'view'],
        filter_query,
        limit: 6,
      }),
    ),
  );

/** Books that are similar to one, or that go with all of a cart. */
export const goesWith = async (user_id: string, item_ids: string[]): Promise<string[] | undefined> =>
  idsOf(
    await attempt(client.recommendItemsToItem({ project_id, user_id, item_ids, filter_query, limit: 4 })),
  );

export async function sendView(user_id: string, item_id: string): Promise<void> {
  const event = { event_id: randomUUID(), user_id, item_id, ts: Date.now(), event_type: 'view' };
  await attempt(client.upsertDatasetEvents({ event_dataset_id, events: [event] }));
}

/** In production, send orders from a queue until they are acknowledged: a purchase must not get lost. */
export async function sendOrder(user_id: string, item_ids: readonly string[]): Promise<void> {
  const order = randomUUID();
  const events = item_ids.map((item_id, line) => ({
    event_id: `${order}-${line}`,
    user_id,
    item_id,
    ts: Date.now(),
    event_type: 'buy',
  }));
  await Promise.all([attempt(client.upsertDatasetEvents({ event_dataset_id, events })), sendStock(item_ids)]);
}

/** Sets the attribute `stock`, and keeps all others. */
export async function sendStock(item_ids: readonly string[]): Promise<void> {
  const items = item_ids.map((item_id) => ({ item_id, attributes: { stock: stockOf(item_id) } }));
  await attempt(client.upsertDatasetItems({ item_dataset_id, mode: 'MERGE', items }));
}

/** Moves a visitor's events to the user who logged in. Event IDs stay, so nothing counts twice. Returns whether it is done. */
export async function moveEvents(visitor: string, user_id: string): Promise<boolean> {
  const request = { event_dataset_id, user_id: visitor, page_size: maxEventsPerMove };
  const found = await attempt(client.listDatasetEvents(request));
  if (!found) return false;
  if (found.events.length === 0) return true;
  const events = found.events.map(({ event_id }) => ({ event_id, user_id }));
  const moved = await attempt(client.upsertDatasetEvents({ event_dataset_id, mode: 'MERGE', events }));
  return moved !== undefined && events.length < maxEventsPerMove;
}
