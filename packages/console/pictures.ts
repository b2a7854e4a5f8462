import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { launchOptions } from '../../acceptance/test/chromium.ts';

/** The screens of a project: the name of the picture, and the path. */
const screens = {
  overview: '',
  data: '/data',
  playground: '/playground',
  'playground-compare': '/playground?isCompared=true',
  scenarios: '/scenarios?isNew=true',
  models: '/models',
  outcomes: '/outcomes',
  experiments: '/experiments',
  audiences: '/audiences',
  'audiences-affinity': '/audiences?tab=affinity',
  operations: '/operations',
  'operations-usage': '/operations?tab=usage',
  'operations-schedules': '/operations?tab=schedules',
};

const looks = {
  '': { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  '-dark': { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  '-phone': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const;

/** Of WebP: text stays sharp, in a quarter of the size of PNG. */
const quality = 82;
/** Charts draw themselves after their data has arrived. */
const drawingMs = 3000;

const [link, folder, project] = process.argv.slice(2);
if (link === undefined || folder === undefined) {
  console.error('usage: npm run pictures -- LINK FOLDER [PROJECT]');
  console.error('LINK: the link to the console that `npm run demo -- --keep` prints. It can be used once.');
  process.exitCode = 2;
} else {
  await mkdir(folder, { recursive: true });
  const browser = await chromium.launch(launchOptions);
  try {
    await takePictures(browser, { link, folder, project });
  } finally {
    await browser.close();
  }
}

interface Wanted {
  readonly link: string;
  readonly folder: string;
  /** Its name; if absent, the newest project. */
  readonly project: string | undefined;
}

/** Takes a picture of every screen of a project, light, dark and at the width of a phone. */
async function takePictures(browser: Browser, { link, folder, project }: Wanted): Promise<void> {
  const first = await browser.newPage();
  await first.goto(link);
  await first.getByRole('heading', { name: 'Projects' }).waitFor();
  const links = first.getByRole('main').getByRole('link');
  await (project === undefined ? links : links.filter({ hasText: project })).first().click();
  await first.waitForURL(/\/projects\//);
  const base = first.url().replace(/(\/projects\/[^/?#]+).*/, '$1');
  const cookies = await first.context().cookies();
  for (const [suffix, look] of Object.entries(looks)) {
    const context = await browser.newContext({ ...look, reducedMotion: 'reduce' });
    await context.addCookies(cookies);
    const page = await context.newPage();
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(base + path);
      await page.waitForLoadState('networkidle');
      await page.waitForFunction(() => document.querySelector('[aria-label^="Loading"]') === null);
      if (name === 'playground-compare') await compareModels(page);
      await page.waitForTimeout(drawingMs);
      await writeFile(join(folder, `${name}${suffix}.webp`), await takePicture(page));
    }
    await context.close();
  }
}

/** Another model in the second list, if there is one. */
async function compareModels(page: Page): Promise<void> {
  const model = page.getByLabel('Model of the second list');
  if ((await model.locator('option').count()) > 1) await model.selectOption({ index: 1 });
}

/** Playwright itself writes only PNG and JPEG. */
async function takePicture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  await session.detach();
  return Buffer.from(data, 'base64');
}
