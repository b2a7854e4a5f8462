import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { Tastegraph } from '@tastegraph/sdk';
import { commandLine } from '../command/place.ts';
import { type CommandContext, optionsOrUsage, runCommand } from '../command/run-command.ts';
import { type RunningStack, startStack } from '../command/start-stack.ts';
import { DEMO_USAGE, readDemoOptions } from './options.ts';
import { Recommender } from './recommend.ts';
import { type Deployed, setUp } from './set-up.ts';
import { generateShop, type Shop } from './shop/generate-shop.ts';
import { sampleReaders } from './shop/readers.ts';
import { step } from './steps.ts';
import { visitShop } from './visit-shop.ts';

const bold = (text: string) => styleText('bold', text);
const dim = (text: string) => styleText('dim', text);
const startedAt = performance.now();

const options = optionsOrUsage(readDemoOptions, DEMO_USAGE);
if (options?.write !== undefined) await writeShop(options.write, generateShop(Date.now()));
else if (options?.visit !== undefined) await visitShop(options.visit, generateShop());
else if (options) await runCommand((context) => runDemo(context, options.keep));

async function runDemo({ closers, signal, stopRequested }: CommandContext, keep: boolean): Promise<void> {
  console.log(`\n${bold('Tastegraph: from records to recommendations')}\n`);
  const shop = await step('Generating a bookshop', async () => generateShop(Date.now()), describeShop);
  const running = await step(
    'Starting',
    () => startStack({ json: false, ephemeral: true, help: false, port: undefined }, closers, signal),
    ({ redis }) => `started PostgreSQL${redis ? ', Redis' : ''} and the server`,
  );
  const { apiKey, apiSecret } = running.credentials;
  const client = new Tastegraph({ baseUrl: running.baseUrl, apiKey, apiSecret, scopes: 'all' });
  const deployed = await setUp(client, 'bookshop', shop, signal);
  await showRecommendations(client, deployed, shop);
  console.log(`\n${dim(`Total time: ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`)}`);
  console.log(keep ? connectionInfo(running, deployed) : nextSteps());
  if (!keep) return;
  const problem = await Promise.race([stopRequested, running.server.ended]);
  if (problem) throw problem;
}

/** Writes one record per line. */
async function writeShop(folder: string, { readers, books, events }: Shop): Promise<void> {
  await mkdir(folder, { recursive: true });
  const users = readers.map(({ user_id, attributes }) => ({ user_id, attributes }));
  for (const [name, records] of Object.entries({ users, items: books, events })) {
    const file = join(folder, `${name}.ndjson`);
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    console.log(`wrote ${records.length.toLocaleString('en')} ${name} to ${file}`);
  }
}

async function showRecommendations(client: Tastegraph, deployed: Deployed, shop: Shop): Promise<void> {
  const recommender = new Recommender(client, deployed.project_id, shop);
  for (const { user_id, attributes, tastes } of sampleReaders) {
    const { table, genres } = await recommender.recommend(user_id);
    const isTaste = (of: readonly string[]) =>
      of.some((genre) => (tastes as readonly string[]).includes(genre));
    const share = shop.books.filter((book) => isTaste(book.attributes.genres)).length / shop.books.length;
    const hits = `${genres.filter(isTaste).length} of ${genres.length} match (${(share * 100).toFixed(0)} % of all books do)`;
    console.log(
      `\n${bold(user_id)}, ${attributes.age_group}, ${attributes.country}, likes ${tastes.join(', ')}: ${hits}`,
    );
    console.log(table);
  }
  const newcomer = { project_id: deployed.project_id, user_id: 'dora' };
  const before = await recommender.recommend(newcomer.user_id);
  console.log(`\n${bold('dora')}, a new reader without any data, gets popular books`);
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
  const after = await recommender.recommend(newcomer.user_id);
  console.log(
    `\n${bold('dora')} buys ${bold(bought.attributes.title)} (${bought.attributes.genres.join(', ')}); ` +
      `the next recommendations, in ${after.ms.toFixed(0)} ms and without retraining:`,
  );
  console.log(after.table);
}

function describeShop({ readers, books, events }: Shop): string {
  const purchases = events.filter(({ event_type }) => event_type === 'buy').length;
  const count = (length: number) => length.toLocaleString('en');
  return `generated a bookshop: ${count(readers.length)} readers, ${books.length} books, ${count(events.length)} events, ${count(purchases)} of them purchases`;
}

function nextSteps(): string {
  const steps = [
    [commandLine('demo', '--keep'), 'run the demo and keep the server running for your own calls'],
    [commandLine('dev'), 'an empty server that keeps its data'],
    ['docs/guide/README.md', 'the guide, in the repository: use your own data, step by step'],
  ];
  const width = Math.max(...steps.map(([command = '']) => command.length));
  const lines = steps.map(([command = '', what = '']) => `  ${command.padEnd(width)}  ${what}\n`);
  return `\n${bold('Next steps')}\n${lines.join('')}`;
}

function connectionInfo(
  { baseUrl, credentials: { apiKey, apiSecret }, consoleLink }: RunningStack,
  { project_id }: Deployed,
): string {
  return `
${bold('The server runs until you press Ctrl-C')}

  URL         ${bold(baseUrl)}, API reference at ${baseUrl}/docs
  Console     ${bold(consoleLink)}
  API key     ${apiKey}
  API secret  ${apiSecret}
  Project     ${project_id}

${bold('Get recommendations')}

TOKEN=$(curl -sS ${baseUrl}/oauth/token -d client_id=${apiKey} -d client_secret=${apiSecret} \\
  -d scope=/recommend-items-to-user | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sS ${baseUrl}/recommend-items-to-user -H "Authorization: Bearer $TOKEN" -H 'APIKey: ${apiKey}' \\
  -H 'Content-Type: application/json' -d '{"user_id": "anna", "attributes": ["title", "genres"], "limit": 3}'
`;
}
