import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { client } from './client.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { ShopBrowser } from './shop-browser.ts';

/** Starts each shop of examples/ as its README says, and walks it like a visitor. */
const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const built = `${root}/acceptance/.build/examples`;
const access = {
  TASTEGRAPH_URL: inject('baseUrl'),
  TASTEGRAPH_API_KEY: inject('apiKey'),
  TASTEGRAPH_API_SECRET: inject('apiSecret'),
};

/** Training, or installing Flask, on a busy machine. */
const timeout = 240_000;
/** A busy machine must not look like an outage. */
const patience = { TASTEGRAPH_TIMEOUT_MS: '20000' };
const script = '<script>alert("x")</script>';
const copies = 3;

const shops = [
  { name: 'express', command: ['node', 'shop.ts'] },
  { name: 'flask', command: ['.venv/bin/flask', '--app', 'shop', 'run', '--port', '0'] },
] as const;

let settings: NodeJS.Dict<string>;
let cookbooks: string[];
const genresOf = new Map<string, string[]>();

beforeAll(async () => {
  await run('npm', ['run', '--silent', 'example', '--', 'env'], {
    cwd: root,
    env: { ...process.env, ...access },
  });
  settings = parseEnv(readFileSync(`${root}/.dev/example/shop.env`, 'utf8'));
  const attack = { title: script, author: script, genres: ['Crime'], year: 1990, price: 1 };
  const lines = [
    readFileSync(settings['CATALOG'] ?? '', 'utf8'),
    `${JSON.stringify({ item_id: 'attack', attributes: attack })}\n`,
  ];
  mkdirSync(built, { recursive: true });
  writeFileSync(`${built}/items.ndjson`, lines.join(''));
  for (const line of lines.join('').trim().split('\n')) {
    const { item_id, attributes } = JSON.parse(line) as { item_id: string; attributes: { genres: string[] } };
    genresOf.set(item_id, attributes.genres);
  }
  cookbooks = [...genresOf.keys()].filter((id) => genresOf.get(id)?.[0] === 'Cooking').slice(0, 4);
}, timeout);

describe.each(shops)('the $name shop', ({ name, command }) => {
  test('recommends to visitors and users, and renders without Tastegraph', { timeout }, async ({ skip }) => {
    await skipWithoutPython(name, skip);
    const proxy = await startFaultyProxy(access.TASTEGRAPH_URL, [], 0);
    const env = { ...access, ...patience, TASTEGRAPH_URL: proxy.baseUrl };
    const url = await startShop(root, ['npm', 'run', '--silent', 'example', '--', name, '--port', '0'], env);
    const secrets = [access.TASTEGRAPH_API_KEY, access.TASTEGRAPH_API_SECRET];
    const browser = new ShopBrowser(url, secrets);
    const forYou = async () => (await browser.get('/')).shelf('for-you');

    // A visitor looks at four cookbooks.
    expect((await browser.get('/books?genre=Cooking')).shelf('books')).toEqual(
      expect.arrayContaining(cookbooks),
    );
    for (const id of cookbooks) {
      const similar = (await browser.get(`/books/${id}`)).shelf('similar');
      expect(similar).toHaveLength(4);
      expect(similar).not.toContain(id);
    }
    const forVisitor = await forYou();
    expectCookbooks(forVisitor);

    // The cart.
    const [first = ''] = cookbooks;
    expect((await browser.post('/cart', { book: first })).path).toBe('/cart');
    const cart = await browser.get('/cart');
    expect(cart.shelf('cart')).toEqual([first]);
    expect(cart.shelf('goes-with')).toHaveLength(4);
    expect(cart.shelf('goes-with')).not.toContain(first);

    // The login moves the visitor's events: each is there exactly once.
    const user = `${name}-${Date.now()}`;
    const eventCount = await countEvents();
    expect((await browser.post('/login', { name: user })).path).toBe('/');
    expect(await countEvents()).toBe(eventCount);
    expect(await eventsOf(user)).toEqual(cookbooks.map((id) => `view ${id}`).toSorted());
    expectCookbooks(await forYou());

    // The order.
    await browser.get('/cart');
    expect((await browser.post('/order')).shelf('bought')).toEqual([first]);
    expect(await eventsOf(user)).toEqual([`buy ${first}`, ...cookbooks.map((id) => `view ${id}`).toSorted()]);
    expect((await browser.get('/cart')).shelf('cart')).toEqual([]);

    // Somebody else buys the last copies.
    const [best = ''] = await forYou();
    const other = new ShopBrowser(url, secrets);
    await other.get(`/books/${best}`);
    for (let copy = 0; copy < copies; copy++) await other.post('/cart', { book: best });
    expect((await other.post('/order')).shelf('bought')).toEqual(Array.from({ length: copies }, () => best));
    const afterSellout = await forYou();
    expect(afterSellout).toHaveLength(6);
    expect(afterSellout).not.toContain(best);
    expect((await other.post('/cart', { book: best })).status).toBe(409);

    // Attacks.
    const attacked = await browser.get('/books/attack');
    expect(attacked.html).not.toContain('<script>');
    expect(attacked.html).toContain('&lt;script&gt;');
    expect((await browser.postWithoutToken('/logout')).status).toBeGreaterThanOrEqual(400);
    expect((await browser.post('/login', { name: 'visitor-1' })).status).toBe(400);
    expect((await browser.get('/')).html).toContain(user);

    // Tastegraph is gone.
    await proxy[Symbol.asyncDispose]();
    await expectFallback(browser);
  });

  test('renders while Tastegraph accepts connections and never answers', { timeout }, async ({ skip }) => {
    await skipWithoutPython(name, skip);
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { port: number };
    const env = { ...settings, TASTEGRAPH_URL: `http://127.0.0.1:${port}`, PORT: '0' };
    const url = await startShop(`${root}/examples/${name}`, command, env);
    await expectFallback(new ShopBrowser(url, []));
  });
});

/** Mostly cookbooks, and none that was viewed. */
function expectCookbooks(ids: readonly string[]): void {
  expect(ids).toHaveLength(6);
  expect(ids.filter((id) => genresOf.get(id)?.includes('Cooking')).length).toBeGreaterThanOrEqual(4);
  expect(ids.filter((id) => cookbooks.includes(id))).toEqual([]);
}

async function expectFallback(browser: ShopBrowser): Promise<void> {
  const home = await browser.get('/');
  expect(home.status).toBe(200);
  expect(home.shelf('new')).toHaveLength(6);
  const book = await browser.get(`/books/${cookbooks[1]}`);
  expect(book.status).toBe(200);
  expect(book.shelf('genre')).toHaveLength(4);
  expect((await browser.post('/cart', { book: cookbooks[1] ?? '' })).path).toBe('/cart');
  expect((await browser.post('/order')).shelf('bought')).toEqual([cookbooks[1]]);
}

async function countEvents(): Promise<number> {
  const event_dataset_id = settings['TASTEGRAPH_EVENT_DATASET_ID'] ?? '';
  return (await client.getEventDataset({ event_dataset_id })).record_count;
}

/** The type and the item of each event, sorted. */
async function eventsOf(user_id: string): Promise<string[]> {
  const event_dataset_id = settings['TASTEGRAPH_EVENT_DATASET_ID'] ?? '';
  const { events } = await client.listDatasetEvents({ event_dataset_id, user_id });
  return events.map(({ event_type, item_id }) => `${event_type} ${item_id}`).toSorted();
}

/** Returns the shop's URL. The shop is stopped at the end of the test. */
async function startShop(
  cwd: string,
  [command = '', ...args]: readonly string[],
  env: NodeJS.Dict<string>,
): Promise<string> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env, CATALOG: `${built}/items.ndjson` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGINT');
    await exited;
  });
  let output = '';
  return new Promise((resolveUrl, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, url] = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
        if (url !== undefined) resolveUrl(url);
      });
    void exited.then(() => reject(new Error(`The shop exited.\n${output}`)));
  });
}

/** CI has Python; developers may not. */
async function skipWithoutPython(
  name: string,
  skip: (condition: boolean, note: string) => void,
): Promise<void> {
  if (name !== 'flask' || process.env['CI'] === 'true') return;
  const missing = await run('python3', ['-c', 'import ensurepip, venv']).then(
    () => false,
    () => true,
  );
  skip(missing, 'To run this test, install python3 with venv (on Debian, python3-venv).');
}
