import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core finds on a page, light and dark, in a form that says where and why. Colours are all that differs in the dark. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Half a megabyte of script: once per page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const light = await analyze(page, { resultTypes: ['violations'] });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html.dark').waitFor();
  const dark = await analyze(page, {
    resultTypes: ['violations'],
    runOnly: { type: 'rule', values: ['color-contrast'] },
  });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html:not(.dark)').waitFor();
  return [...light, ...dark];
}

interface WithAxe {
  readonly axe: { readonly run: (options: RunOptions) => Promise<AxeResults> };
}

async function analyze(page: Page, options: RunOptions): Promise<string[]> {
  const violations = await page.evaluate(
    async (own) => (await (globalThis as unknown as WithAxe).axe.run(own)).violations,
    options,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}
