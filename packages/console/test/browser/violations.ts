import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe-core finds on a page, light and dark, in a form that says where and why. Colours are all that differs in the dark. */
export async function violationsOf(page: Page): Promise<string[]> {
  const light = await analyze(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html.dark').waitFor();
  const dark = await analyze(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html:not(.dark)').waitFor();
  return [...light, ...dark];
}

/** The console has no frames, so that the mode without them finds the same, in less than half the time. */
async function analyze(page: Page, rules?: string[]): Promise<string[]> {
  const builder = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations } = await (rules ? builder.withRules(rules) : builder).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}
