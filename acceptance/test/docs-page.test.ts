import { chromium } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { launchOptions } from './chromium.ts';

test('the documentation page shows the API and loads nothing from other hosts', async () => {
  const baseUrl = inject('baseUrl');
  const browser = await chromium.launch(launchOptions);
  try {
    const page = await browser.newPage();
    const requested: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) problems.push(message.text());
    });
    await page.goto(`${baseUrl}/docs`);
    await page.getByText('/upsert-dataset-events').first().waitFor({ timeout: 30_000 });
    expect(problems).toEqual([]);
    expect(
      requested.filter(
        (url) => !url.startsWith(baseUrl) && !url.startsWith('data:') && !url.startsWith('blob:'),
      ),
    ).toEqual([]);
    if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'] });

    await page.goto(`${baseUrl}/docs/errors#not_found`);
    await page.getByRole('heading', { name: 'NOT_FOUND (404)' }).waitFor();
  } finally {
    await browser.close();
  }
});
