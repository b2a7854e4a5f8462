import { execFileSync } from 'node:child_process';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { withEnvironment } from '../environment.ts';
import type { Report } from '../report.ts';
import { prepareShop } from '../serve/prepare.ts';
import type { ShopSize } from '../serve/synthetic-shop.ts';
import { type Visit, visit } from './visit.ts';

interface Sizes {
  readonly shop: ShopSize;
  /** Until the first screen can be used, with a quarter of this machine's speed. */
  readonly usableGoalMs: number;
}

const full: Sizes = { shop: { users: 1_000_000, items: 200_000, events: 4_000_000 }, usableGoalMs: 1000 };
const quick: Sizes = { shop: { users: 20_000, items: 4000, events: 100_000 }, usableGoalMs: 10_000 };

const cpuSlowdown = 4;
/** A screen of any catalogue reads at most this much. */
const maxCalls = 20;
const maxApiBytes = 300_000;

const build = new URL('../../../packages/console/build.ts', import.meta.url).pathname;

/** Visits of each screen, after one that warms up the server. The median counts. */
const visits = 3;

/** Each screen, and what is there once all its data is shown. */
const screens: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '': (page) => page.getByText('target', { exact: true }).waitFor(),
  '/data': (page) => page.getByRole('tabpanel', { name: 'Users' }).getByRole('listitem').first().waitFor(),
  '/playground?user=u7': (page) => page.getByRole('list', { name: 'Reasons' }).first().waitFor(),
  '/scenarios': (page) => page.getByRole('link', { name: /New scenario/ }).waitFor(),
  '/scenarios?isNew=true': (page) => page.getByRole('list', { name: 'Reasons' }).first().waitFor(),
  '/models': (page) => page.getByText('What it was made of').waitFor(),
};

/** What is done on a screen that has loaded, until its result is there. */
const actions: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'another user at random': async (page) => {
    const before = page.url();
    await page.getByRole('button', { name: 'Random user' }).click();
    await page.waitForURL((url) => url.href !== before);
    await page.locator('ol[aria-busy="false"]').first().waitFor();
  },
  'an item by two words of its title': async (page) => {
    await page.getByRole('button', { name: 'A visitor' }).click();
    await page.getByRole('combobox', { name: 'Add an item the visitor looked at' }).fill('number 1999');
    await page.getByRole('option', { name: /1999/ }).first().waitFor();
  },
};

interface Measured {
  readonly what: string;
  /** Of a screen, until all its data is shown. */
  readonly ms: number;
  readonly usableMs?: number;
  readonly calls: number;
  readonly apiBytes: number;
}

/** How long screens take on a slow machine in front of a large catalogue, and how much they read. */
export async function benchConsole(isQuick: boolean): Promise<Report> {
  const { shop, usableGoalMs } = isQuick ? quick : full;
  execFileSync(process.execPath, [build], { stdio: 'inherit' });
  return withEnvironment(async ({ service, admin }) => {
    const { project_id } = await prepareShop(service, admin, shop);
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
    try {
      const signedIn = await signIn(browser, service.createConsoleLink());
      const project = `${service.baseUrl}/accounts/${signedIn.accountId}/projects/${project_id}`;
      const measured: Measured[] = [];
      for (const [path, ready] of Object.entries(screens))
        measured.push(await measureScreen(browser, signedIn.state, project, path, ready));
      const acted: Measured[] = [];
      for (const [what, act] of Object.entries(actions))
        acted.push(await measureAction(browser, signedIn.state, `${project}/playground?user=u7`, what, act));
      return reportOf({ shop, usableGoalMs, measured, acted });
    } finally {
      await browser.close();
    }
  }, 'all-in-one');
}

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

async function signIn(browser: Browser, link: string): Promise<{ state: State; accountId: string }> {
  const page = await browser.newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  const accountId = /\/accounts\/([^/?#]+)/.exec(page.url())?.[1] ?? '';
  return { state: await page.context().storageState(), accountId };
}

/** A page of a slow machine that has cached nothing, and counts what it reads of the API. */
async function openPage(browser: Browser, state: State) {
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    const isFile = response.url().includes('/assets/') || response.request().resourceType() === 'document';
    if (!isFile)
      sizes.push(
        response.body().then(
          ({ length }) => length,
          () => 0,
        ),
      );
  });
  const count = async () => {
    const bytes = await Promise.all(sizes.splice(0));
    return { calls: bytes.length, apiBytes: bytes.reduce((sum, one) => sum + one, 0) };
  };
  return { page, count, close: () => context.close() };
}

async function measureScreen(
  browser: Browser,
  state: State,
  project: string,
  path: string,
  ready: (page: Page) => Promise<void>,
): Promise<Measured> {
  const times: Visit[] = [];
  let read = { calls: 0, apiBytes: 0 };
  // The browser starts anew with each visit; the server is warm, as in production.
  for (let count = 0; count <= visits; count++) {
    const { page, count: countCalls, close } = await openPage(browser, state);
    const time = await visit(page, project + path, ready);
    if (count > 0) times.push(time);
    read = await countCalls();
    await close();
  }
  const median = (pick: (one: Visit) => number) =>
    times.map(pick).toSorted((a, b) => a - b)[Math.floor(visits / 2)] ?? 0;
  return {
    what: path === '' ? 'overview' : path,
    ms: median(({ completeMs }) => completeMs),
    usableMs: median(({ usableMs }) => usableMs),
    ...read,
  };
}

async function measureAction(
  browser: Browser,
  state: State,
  url: string,
  what: string,
  act: (page: Page) => Promise<void>,
): Promise<Measured> {
  const { page, count, close } = await openPage(browser, state);
  await page.goto(url);
  await page.getByRole('list', { name: 'Reasons' }).first().waitFor();
  // The first search loads the copy of the items.
  await act(page);
  await page.goto(url);
  await page.getByRole('list', { name: 'Reasons' }).first().waitFor();
  await count();
  const startedAt = performance.now();
  await act(page);
  const ms = performance.now() - startedAt;
  const read = await count();
  await close();
  return { what, ms, ...read };
}

interface Outcome {
  readonly shop: ShopSize;
  readonly usableGoalMs: number;
  readonly measured: readonly Measured[];
  readonly acted: readonly Measured[];
}

function reportOf({ shop, usableGoalMs, measured, acted }: Outcome): Report {
  const rows = (list: readonly Measured[]) =>
    list.map(({ what, ms, usableMs, calls, apiBytes }) => ({
      what,
      ...(usableMs === undefined
        ? { ms: Math.round(ms) }
        : { 'usable ms': Math.round(usableMs), 'complete ms': Math.round(ms) }),
      calls,
      'API bytes': apiBytes,
    }));
  const all = [...measured, ...acted];
  const max = (pick: (one: Measured) => number) => Math.max(...all.map(pick));
  return {
    bench: 'console',
    tables: [
      {
        title: `Screens, ${shop.users.toLocaleString('en')} users, ${shop.items.toLocaleString('en')} items, ${cpuSlowdown} times slower`,
        rows: rows(measured),
      },
      { title: 'Actions', rows: rows(acted) },
    ],
    goals: [
      {
        text: `the first screen can be used within ${usableGoalMs} ms`,
        reached: (measured[0]?.usableMs ?? Number.POSITIVE_INFINITY) <= usableGoalMs,
      },
      { text: `at most ${maxCalls} calls each`, reached: max(({ calls }) => calls) <= maxCalls },
      {
        text: `at most ${maxApiBytes} bytes of the API each`,
        reached: max(({ apiBytes }) => apiBytes) <= maxApiBytes,
      },
    ],
    figures: { shop, screens: measured, actions: acted },
  };
}
