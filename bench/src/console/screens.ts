import type { Page } from 'playwright-core';

/** Each screen, and what is there once all its data is shown. */
export const screens: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '': (page) => page.getByText('target', { exact: true }).waitFor(),
  '/data': (page) => page.getByRole('tabpanel', { name: 'Users' }).getByRole('listitem').first().waitFor(),
  '/playground?user=u7': (page) => page.getByRole('list', { name: 'Reasons' }).first().waitFor(),
  '/scenarios': (page) => page.getByRole('link', { name: /New scenario/ }).waitFor(),
  '/scenarios?isNew=true': (page) => page.getByRole('list', { name: 'Reasons' }).first().waitFor(),
  '/models': (page) => page.getByText('What it learned from').waitFor(),
};

/** What is done on a screen that has loaded, until its result is there. */
export const actions: Readonly<Record<string, (page: Page) => Promise<void>>> = {
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
