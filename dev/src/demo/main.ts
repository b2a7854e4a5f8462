import { styleText } from 'node:util';
import { Tastegraph } from '@tastegraph/sdk';
import { bringUp, type Running } from '../command/bring-up.ts';
import { type CommandContext, optionsOrUsage, runCommand } from '../command/run-command.ts';
import { DEMO_USAGE, readDemoOptions } from './options.ts';
import { Counter } from './recommend.ts';
import { type Deployed, setUp } from './set-up.ts';
import { makeShop, type Shop } from './shop/make-shop.ts';
import { wellKnown } from './shop/readers.ts';
import { step } from './steps.ts';
import { writeShop } from './write-shop.ts';

const bold = (text: string) => styleText('bold', text);
const dim = (text: string) => styleText('dim', text);
const startedAt = performance.now();

const options = optionsOrUsage(readDemoOptions, DEMO_USAGE);
if (options?.write !== undefined) await writeShop(options.write, makeShop());
else if (options) await runCommand((context) => demonstrate(context, options.keep));

async function demonstrate({ closers, signal, stopRequested }: CommandContext, keep: boolean): Promise<void> {
  console.log(`\n${bold('Tastegraph: from records to recommendations')}\n`);
  const shop = await step('A bookshop', async () => makeShop(), describe);
  const running = await step(
    'Starting',
    () => bringUp({ json: false, ephemeral: true, help: false, port: undefined }, closers, signal),
    ({ redis }) => `started PostgreSQL${redis ? ', Redis' : ''} and the server`,
  );
  const { apiKey, apiSecret } = running.credentials;
  const client = new Tastegraph({ baseUrl: running.baseUrl, apiKey, apiSecret, scopes: 'all' });
  const deployed = await setUp(client, shop, signal);
  await showRecommendations(client, deployed, shop);
  console.log(`\n${dim(`All of it took ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`)}`);
  console.log(keep ? waysIn(running, deployed) : goOn());
  if (!keep) return;
  const problem = await Promise.race([stopRequested, running.server.ended]);
  if (problem) throw problem;
}

async function showRecommendations(client: Tastegraph, deployed: Deployed, shop: Shop): Promise<void> {
  const counter = new Counter(client, deployed.project_id, shop);
  for (const { user_id, attributes, tastes } of wellKnown) {
    const { table, genres } = await counter.recommend(user_id);
    const isTaste = (of: readonly string[]) =>
      of.some((genre) => (tastes as readonly string[]).includes(genre));
    const share = shop.books.filter((book) => isTaste(book.attributes.genres)).length / shop.books.length;
    const hits = `${genres.filter(isTaste).length} of ${genres.length} are, as of all books ${(share * 100).toFixed(0)} %`;
    console.log(
      `\n${bold(user_id)}, ${attributes.age_group}, ${attributes.country}, likes ${tastes.join(', ')}: ${hits}`,
    );
    console.log(table);
  }
  const newcomer = { project_id: deployed.project_id, user_id: 'dora' };
  const before = await counter.recommend(newcomer.user_id);
  console.log(`\n${bold('dora')}, of whom nothing is known, gets what is popular`);
  console.log(before.table);
  const bought = shop.books.find(({ attributes }) => attributes.genres.includes('Science Fiction'));
  if (!bought) throw new Error('The shop has no science fiction.');
  const event = {
    event_id: 'dora-1',
    user_id: 'dora',
    item_id: bought.item_id,
    ts: Date.now(),
    event_type: 'buy',
  };
  await client.upsertDatasetEvents({ event_dataset_id: deployed.event_dataset_id, events: [event] });
  const after = await counter.recommend(newcomer.user_id);
  console.log(
    `\n${bold('dora')} buys ${bold(bought.attributes.title)} (${bought.attributes.genres.join(', ')}); ` +
      `the next answer, ${after.ms.toFixed(0)} ms later, without another training`,
  );
  console.log(after.table);
}

function describe({ readers, books, events }: Shop): string {
  const purchases = events.filter(({ event_type }) => event_type === 'buy').length;
  const count = (length: number) => length.toLocaleString('en');
  return `made a bookshop: ${count(readers.length)} readers, ${books.length} books, ${count(events.length)} events, ${count(purchases)} of them purchases`;
}

function goOn(): string {
  return `
${bold('Go on')}
  npm run demo -- --keep       the same, and the server stays for calls of your own
  npm run dev                  an empty server that keeps its data
  docs/guide/README.md         the guide: your own data, step by step
`;
}

function waysIn({ baseUrl, credentials: { apiKey, apiSecret } }: Running, { project_id }: Deployed): string {
  return `
${bold('The server stays until Ctrl-C')}

  Address     ${bold(baseUrl)}, the API's page at ${baseUrl}/docs
  API key     ${apiKey}
  API secret  ${apiSecret}
  Project     ${project_id}

${bold('Ask it')}

TOKEN=$(curl -sS ${baseUrl}/oauth/token -d client_id=${apiKey} -d client_secret=${apiSecret} \\
  -d scope=/recommend-items-to-user | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sS ${baseUrl}/recommend-items-to-user -H "Authorization: Bearer $TOKEN" -H 'APIKey: ${apiKey}' \\
  -H 'Content-Type: application/json' -d '{"user_id": "anna", "attributes": ["title", "genres"], "limit": 3}'
`;
}
