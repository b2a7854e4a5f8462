import type { Locator, Page, Route } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { newProject } from './sdk-client.ts';

const { open, openScreen } = useConsole();

interface Screen {
  readonly path: string;
  /** Without data: what leads on, a button, a link or a command. */
  readonly teaches: (main: Locator) => Locator;
  /** What would be untrue as long as nothing is known. */
  readonly untrue?: (main: Locator) => Locator;
  /** What the bookshop shows once all has loaded. */
  readonly ready: (main: Locator) => Locator;
}

const button = (name: string) => (main: Locator) => main.getByRole('button', { name, exact: true });
const link = (name: string) => (main: Locator) => main.getByRole('link', { name, exact: true });
const cell = (name: RegExp) => (main: Locator) => main.getByRole('cell', { name }).first();
const reasons = (main: Locator) => main.getByRole('list', { name: 'Reasons' }).first();

/** Every screen and every tab that asks the service for something. */
const screens: readonly Screen[] = [
  {
    path: '',
    teaches: link('Import data'),
    untrue: (main) => main.locator('ol').getByText(/^(empty|no model|0)$/),
    ready: (main) => main.getByText('target', { exact: true }),
  },
  {
    path: '/data',
    teaches: button('Import a file of users'),
    ready: (main) => main.getByRole('button', { name: /^anna/ }),
  },
  { path: '/playground', teaches: link('Train and deploy a model'), ready: reasons },
  { path: '/scenarios', teaches: link('New scenario'), ready: link('New scenario') },
  { path: '/scenarios?isNew=true', teaches: link('Train and deploy a model'), ready: reasons },
  {
    path: '/models',
    teaches: button('Train a model'),
    ready: (main) => main.getByRole('heading', { name: 'All models' }),
  },
  {
    path: '/outcomes',
    teaches: button('Copy'),
    ready: (main) =>
      main.getByText('No outcomes yet').or(main.getByRole('heading', { name: 'Responses in total' })),
  },
  { path: '/experiments', teaches: button('New experiment'), ready: button('New experiment') },
  { path: '/audiences', teaches: button('Cluster users'), ready: button('Cluster users') },
  { path: '/audiences?tab=affinity', teaches: button('Measure affinity'), ready: button('Measure affinity') },
  { path: '/audiences?tab=lists', teaches: button('List users'), ready: button('List users') },
  { path: '/operations', teaches: link('Train a model'), ready: cell(/training/) },
  { path: '/operations?tab=schedules', teaches: button('New schedule'), ready: button('New schedule') },
  { path: '/operations?tab=webhooks', teaches: button('New webhook'), ready: button('New webhook') },
  // The account itself is never empty: it has a person, whose calls and changes are counted.
  { path: '/operations?tab=usage', teaches: cell(/in the console/), ready: cell(/in the console/) },
  { path: '/operations?tab=keys', teaches: button('New key'), ready: button('New key') },
  { path: '/operations?tab=people', teaches: button('Invite'), ready: cell(/\(you\)/) },
  { path: '/operations?tab=audit', teaches: cell(/^Create/), ready: cell(/^Create/) },
];

let emptyProject: string;

beforeAll(async () => {
  const { project_id } = await newProject('Nothing yet');
  emptyProject = `/accounts/${inject('accountId')}/projects/${project_id}`;
});

test.each(screens)('without data, the screen "$path" says how to begin', async ({ path, teaches }) => {
  const page = await open(emptyProject + path);
  const main = page.getByRole('main');
  const action = teaches(main);
  await action.waitFor();
  expect(await main.getByRole('alert').count()).toBe(0);
  if (await action.evaluate((element) => element.matches('a, button'))) {
    const takesFocus = async () => {
      await action.focus();
      return action.evaluate((element) => element === document.activeElement);
    };
    // The screen may be drawn once more when the last answer arrives.
    await expect.poll(takesFocus).toBe(true);
  }
});

/** What is asked before any screen can be shown. */
const isFirst = (path: string) => ['/get-project', '/list-projects'].includes(path);
const isOperation = (path: string) => /^\/[a-z]+(-[a-z]+)+$/.test(path) && path !== '/sign-in';

/** Keeps calls from being answered until they are refused or let through. */
function holdCalls(isHeld: (path: string) => boolean) {
  const held: Route[] = [];
  let isHolding = true;
  const isCall = ({ pathname }: URL) => isHeld(pathname);
  const refuse = (route: Route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      body: JSON.stringify({ title: 'Unavailable', status: 503, code: 'UNAVAILABLE', detail: 'Held back.' }),
    });
  return {
    before: async (page: Page) => {
      await page.route(isCall, async (route) => {
        if (isHolding) held.push(route);
        else await refuse(route);
      });
    },
    failAll: async () => {
      isHolding = false;
      await Promise.all(held.splice(0).map(refuse));
    },
    restore: (page: Page) => page.unroute(isCall),
  };
}

async function expectStates(
  page: Page,
  calls: ReturnType<typeof holdCalls>,
  { ready, untrue }: Pick<Screen, 'ready' | 'untrue'>,
) {
  const main = page.getByRole('main');
  await main.getByRole('status', { name: 'Loading' }).first().waitFor();
  expect(await main.getByRole('alert').count()).toBe(0);
  if (untrue) expect(await untrue(main).allTextContents()).toEqual([]);
  await calls.failAll();
  await main.getByRole('alert').first().getByText('Try again in a moment').waitFor();
  if (untrue) expect(await untrue(main).allTextContents()).toEqual([]);
  await calls.restore(page);
  const retry = main.getByRole('button', { name: 'Try again' });
  await retry.first().press('Enter');
  await retry.evaluateAll((others) => {
    for (const one of others) (one as HTMLElement).click();
  });
  await ready(main).waitFor();
  await expect.poll(() => main.getByRole('alert').count()).toBe(0);
}

test.each(screens)(
  'the screen "$path" shows that it loads, what failed and what to do, and tries again',
  async ({ path, ...expected }) => {
    const calls = holdCalls((called) => isOperation(called) && !isFirst(called));
    const page = await openScreen(path, { before: calls.before });
    await expectStates(page, calls, expected);
  },
);

test('a project and the list of projects show that they load, and try again', async () => {
  const calls = holdCalls(isFirst);
  const page = await openScreen('/scenarios', { before: calls.before });
  await expectStates(page, calls, { ready: link('New scenario') });
  const ofList = holdCalls(isFirst);
  const list = await open(`/accounts/${inject('accountId')}`, { before: ofList.before });
  await expectStates(list, ofList, { ready: (main) => main.getByRole('link', { name: /bookshop/ }) });
});

test('a form that needs data shows that it loads, what failed, and tries again', async () => {
  const page = await openScreen('/audiences?tab=affinity');
  const calls = holdCalls((path) => ['/list-models', '/get-item-dataset'].includes(path));
  await calls.before(page);
  await page.getByRole('button', { name: 'Measure affinity' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('status', { name: 'Loading' }).waitFor();
  await calls.failAll();
  await dialog.getByRole('alert').getByText('Try again in a moment').waitFor();
  await calls.restore(page);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByLabel('Model').waitFor();
});

test('without a connection, a screen says so instead of loading forever', async () => {
  const page = await openScreen('/operations');
  await page
    .getByRole('cell', { name: /training/ })
    .first()
    .waitFor();
  await page.context().setOffline(true);
  await page.getByRole('tab', { name: 'Webhooks' }).click();
  const problem = page.getByRole('alert');
  await problem.getByText('Check your network connection').waitFor();
  await page.context().setOffline(false);
  await problem.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'New webhook' }).waitFor();
});
