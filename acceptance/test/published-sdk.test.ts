import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import { build, dist } from '../../packages/sdk/publish/build.ts';
import { launchOptions } from './chromium.ts';

const access = { baseUrl: inject('baseUrl'), apiKey: inject('apiKey'), apiSecret: inject('apiSecret') };
const smokeFile = new URL('smoke.js', import.meta.url);

type Smoke = (sdk: object, serviceAccess: typeof access) => Promise<object>;

const expected = {
  report: { sent: 2500, succeeded: 2499, failed: 1, replaced: 0 },
  failures: [7],
  record_count: 2499,
  notFound: ['NOT_FOUND', 'NotFoundError', true],
  aborted: 'enough',
};

beforeAll(build);

test('the published SDK works in Node', async () => {
  const sdk = (await import(new URL('index.js', dist).href)) as object;
  const { smoke } = (await import(smokeFile.href)) as { smoke: Smoke };
  expect(await smoke(sdk, access)).toEqual(expected);
});

/** The page has the service's own origin: others are not allowed (CORS), because a secret does not belong in a page. */
test('the published SDK works in a browser', async () => {
  const browser = await chromium.launch(launchOptions);
  try {
    // The CSP of the response that provides the origin forbids scripts; a page that uses the SDK would allow them.
    const page = await browser.newPage({ bypassCSP: true });
    await page.route(`${access.baseUrl}/sdk/**`, (route) => {
      const path = new URL(route.request().url()).pathname.slice('/sdk/'.length);
      const file = path === 'smoke.js' ? smokeFile : new URL(path, dist);
      return route.fulfill({ contentType: 'text/javascript', body: readFileSync(file) });
    });
    await page.goto(`${access.baseUrl}/readyz`);
    const run = `Promise.all([import('/sdk/smoke.js'), import('/sdk/index.js')])
      .then(([{ smoke }, sdk]) => smoke(sdk, ${JSON.stringify(access)}))`;
    expect(await page.evaluate(run)).toEqual(expected);
  } finally {
    await browser.close();
  }
});
