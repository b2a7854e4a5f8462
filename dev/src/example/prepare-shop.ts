import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Response, Tastegraph } from '@tastegraph/sdk';
import { DATA_DIRECTORY } from '../command/place.ts';
import { URL_FILE } from '../command/workspace.ts';
import { setUp } from '../demo/set-up.ts';
import { generateShop, type Shop } from '../demo/shop/generate-shop.ts';

const projectName = 'example shop';
const folder = join(DATA_DIRECTORY, 'example');

/** Makes sure that the sample bookshop is deployed on a running server, and returns the settings of an example application. */
export async function prepareShop(signal: AbortSignal): Promise<Record<string, string>> {
  const { url, key, secret } = await readAccess();
  const client = new Tastegraph({ baseUrl: url, apiKey: key, apiSecret: secret });
  const shop = generateShop(Date.now());
  const project = (await findDeployed(client)) ?? (await deploy(client, shop, signal));
  return {
    TASTEGRAPH_URL: url,
    TASTEGRAPH_API_KEY: key,
    TASTEGRAPH_API_SECRET: secret,
    TASTEGRAPH_PROJECT_ID: project.project_id,
    TASTEGRAPH_ITEM_DATASET_ID: project.item_dataset_id,
    TASTEGRAPH_EVENT_DATASET_ID: project.event_dataset_id,
    CATALOG: await writeCatalog(shop),
  };
}

async function readAccess(): Promise<{ url: string; key: string; secret: string }> {
  const { TASTEGRAPH_URL: url, TASTEGRAPH_API_KEY: key, TASTEGRAPH_API_SECRET: secret } = process.env;
  if (url && key && secret) return { url, key, secret };
  const read = (file: string) => readFile(file, 'utf8').catch(() => undefined);
  const [lastUrl, saved] = [await read(URL_FILE), await read(join(DATA_DIRECTORY, 'credentials.json'))];
  if (lastUrl === undefined || saved === undefined)
    throw new Error('Start a server first: run `npm run dev` in another terminal.');
  const { api_key, api_secret } = JSON.parse(saved) as { api_key: string; api_secret: string };
  return { url: lastUrl, key: api_key, secret: api_secret };
}

async function findDeployed(client: Tastegraph): Promise<Response<'getProject'> | undefined> {
  for await (const project of client.listAll('listProjects'))
    if (project.name === projectName && project.deployment) return project;
  return undefined;
}

async function deploy(client: Tastegraph, shop: Shop, signal: AbortSignal): Promise<Response<'getProject'>> {
  const { project_id } = await setUp(client, projectName, shop, signal);
  return client.getProject({ project_id });
}

/** The books of the shop's own database. Written at once, because another shop may be reading it. */
async function writeCatalog({ books }: Shop): Promise<string> {
  const file = join(folder, 'items.ndjson');
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.${process.pid}`, books.map((book) => `${JSON.stringify(book)}\n`).join(''));
  await rename(`${file}.${process.pid}`, file);
  return file;
}

/** For `. shop.env` in a shell and `node --env-file`. Readable only by the owner, because it has the secret. */
export async function writeSettings(settings: Readonly<Record<string, string>>): Promise<string> {
  const file = join(folder, 'shop.env');
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
  await writeFile(file, lines.join(''), { mode: 0o600 });
  return file;
}
