import { type EventRecord, Tastegraph, withRecommendation } from '@tastegraph/sdk';
import type { Shop } from './shop/generate-shop.ts';
import { Random } from './shop/random.ts';
import type { Reader } from './shop/readers.ts';

/** How likely a reader opens a recommended book that is to their taste, and any other. They buy some of what they open. */
const openProbability = { taste: 0.15, other: 0.02 };
const buyProbability = 0.35;
/** How likely a reader also finds a book without us. */
const searchProbability = 0.3;
const limit = 8;
const concurrency = 4;
const visits = 1000;

/** What happened, and what is true of all such visits: readers act by tastes that the service does not know. */
interface Truth {
  readonly visits: number;
  readonly clicked: number;
  /** The probability that a response is followed by a click, over these responses. */
  readonly true_click_rate: number;
}

/** Readers of the shop visit a project of theirs: they ask for recommendations, and open and buy by their true taste. */
export async function visitShop(scenario: string, shop: Shop): Promise<void> {
  const { TASTEGRAPH_URL, TASTEGRAPH_API_KEY, TASTEGRAPH_API_SECRET } = process.env;
  const client = new Tastegraph({
    baseUrl: TASTEGRAPH_URL ?? '',
    apiKey: TASTEGRAPH_API_KEY ?? '',
    apiSecret: TASTEGRAPH_API_SECRET ?? '',
    // A busy machine, or a low qps, is no reason to stop.
    maxRetries: 10,
  });
  const { projects } = await client.listProjects();
  const project = projects.find(({ name }) => name === 'bookshop');
  if (!project)
    throw new Error('There is no project with the name bookshop. See docs/guide/first-project.md.');
  const random = new Random(Date.now());
  const genresOf = new Map(shop.books.map(({ item_id, attributes }) => [item_id, attributes.genres]));
  const isToTaste = ({ tastes, laterTaste }: Reader, itemId: string) =>
    genresOf.get(itemId)?.some((genre) => tastes.includes(genre) || genre === laterTaste) ?? false;
  const truths = new Map<string, { visits: number; clicked: number; sum: number }>();
  const events: EventRecord[] = [];
  const visit = async (reader: Reader) => {
    const { project_id } = project;
    const { user_id } = reader;
    const answer = await client.recommendItemsToUser({ project_id, user_id, scenario, limit });
    const probabilities = answer.results.map(({ item }) =>
      isToTaste(reader, item.item_id) ? openProbability.taste : openProbability.other,
    );
    const opened = answer.results.filter((_, index) => random.chance(probabilities[index] ?? 0));
    const found = random.chance(searchProbability) ? [random.oneOf(shop.books).item_id] : [];
    for (const item_id of [...opened.map(({ item }) => item.item_id), ...found]) {
      const event_type = random.chance(buyProbability) ? 'buy' : 'view';
      const event_id = `visit-${Date.now()}-${events.length}`;
      events.push(withRecommendation({ event_id, user_id, item_id, ts: Date.now(), event_type }, answer));
    }
    const name = answer.experiment?.variant ?? 'everybody';
    const truth = truths.get(name) ?? { visits: 0, clicked: 0, sum: 0 };
    truth.visits += 1;
    truth.clicked += opened.length > 0 ? 1 : 0;
    truth.sum += 1 - probabilities.reduce((none, probability) => none * (1 - probability), 1);
    truths.set(name, truth);
  };
  const waiting = shop.readers.slice(0, visits).values();
  const visitors = Array.from({ length: concurrency }, async () => {
    for (const reader of waiting) await visit(reader);
  });
  await Promise.all(visitors);
  await client.importEvents(project.event_dataset_id, events);
  console.log(JSON.stringify(Object.fromEntries([...truths].map(([name, truth]) => [name, shown(truth)]))));
}

const shown = ({ visits: count, clicked, sum }: { visits: number; clicked: number; sum: number }): Truth => ({
  visits: count,
  clicked,
  true_click_rate: Math.round((sum / count) * 1000) / 1000,
});
