import { chromium } from 'playwright-core';
import { expect, inject, test } from 'vitest';

const chromiumPath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

test('the documentation page shows the API, and loads nothing from elsewhere', async () => {
  const baseUrl = inject('baseUrl');
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  try {
    const page = await browser.newPage();
    const asked: string[] = [];
    const problems: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${baseUrl}/docs`);
    await page.getByText('Insert or replace up to 1000 events').first().waitFor({ timeout: 30_000 });
    await page.getByText('/upsert-dataset-events').first().waitFor();
    expect(problems).toEqual([]);
    expect(
      asked.filter((url) => !url.startsWith(baseUrl) && !url.startsWith('data:') && !url.startsWith('blob:')),
    ).toEqual([]);
    if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'] });

    await page.goto(`${baseUrl}/docs/errors#not_found`);
    await page.getByRole('heading', { name: 'NOT_FOUND (404)' }).waitFor();
  } finally {
    await browser.close();
  }
});
