import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { beforeAll, expect, inject, test } from 'vitest';
import { build, dist } from '../../packages/sdk/publish/build.ts';

const place = { baseUrl: inject('baseUrl'), apiKey: inject('apiKey'), apiSecret: inject('apiSecret') };
const smokeFile = new URL('smoke.js', import.meta.url);
const chromiumPath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

type Smoke = (sdk: object, at: typeof place) => Promise<object>;

const seen = {
  report: { sent: 2500, succeeded: 2499, failed: 1, replaced: 0 },
  failures: [7],
  record_count: 2499,
  notFound: ['NOT_FOUND', 'NotFoundError', true],
  aborted: 'enough',
};

beforeAll(build);

test('the SDK as it is published works in Node', async () => {
  const sdk = (await import(new URL('index.js', dist).href)) as object;
  const { smoke } = (await import(smokeFile.href)) as { smoke: Smoke };
  expect(await smoke(sdk, place)).toEqual(seen);
});

/** From a page of the service's own origin: it allows no other (CORS), as a secret has no place in a page. */
test('the SDK as it is published works in a browser', async () => {
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    await page.route(`${place.baseUrl}/sdk/**`, (route) => {
      const path = new URL(route.request().url()).pathname.slice('/sdk/'.length);
      const file = path === 'smoke.js' ? smokeFile : new URL(path, dist);
      return route.fulfill({ contentType: 'text/javascript', body: readFileSync(file) });
    });
    await page.goto(`${place.baseUrl}/readyz`);
    const run = `Promise.all([import('/sdk/smoke.js'), import('/sdk/index.js')])
      .then(([{ smoke }, sdk]) => smoke(sdk, ${JSON.stringify(place)}))`;
    expect(await page.evaluate(run)).toEqual(seen);
  } finally {
    await browser.close();
  }
});
