import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, expect, inject } from 'vitest';
import { sharedBrowser } from './shared-browser.ts';

interface PageOptions {
  readonly width?: number;
  /** Without the session of the owner. */
  readonly signedOut?: boolean;
  /** Called before the page asks for anything. */
  readonly before?: (page: Page) => Promise<void>;
}

export interface Console {
  /** Opens a path of the console. What is opened is closed at the end of the test. */
  readonly open: (path: string, options?: PageOptions) => Promise<Page>;
  /** Opens a screen of the bookshop: '' for the overview, '/models' and so on. */
  readonly openScreen: (screen: string, options?: PageOptions) => Promise<Page>;
}

/** Opens pages, each in a context of its own. A test fails if one of its pages logs an error or breaks the content security policy. */
export function useConsole(): Console {
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];
  afterEach(async () => {
    const attacked = await Promise.all(contexts.flatMap((context) => context.pages()).map(isAttacked));
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(problems.splice(0)).toEqual([]);
    expect(attacked).not.toContain(true);
  });
  const open = async (path: string, options: PageOptions = {}) => {
    const { width = 1280, signedOut = false } = options;
    const browser = await sharedBrowser();
    const context = await browser.newContext({ colorScheme: 'light', viewport: { width, height: 860 } });
    contexts.push(context);
    if (!signedOut) await context.addCookies([...inject('cookies')]);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('dialog', (dialog) => problems.push(`dialog: ${dialog.message()}`));
    page.on('console', (message) => {
      // A refused call, such as of a wrong password or on a busy machine, is an answer and not a fault of the page.
      const isAnswer =
        /the server responded with a status of (4\d\d|503)|net::ERR_INTERNET_DISCONNECTED/i.test(
          message.text(),
        );
      if (message.type() === 'error' && !isAnswer) problems.push(message.text());
    });
    await options.before?.(page);
    await page.goto(inject('baseUrl') + path);
    return page;
  };
  const openScreen = (screen: string, options?: PageOptions) =>
    open(`/accounts/${inject('accountId')}/projects/${inject('projectId')}${screen}`, options);
  return { open, openScreen };
}

const isAttacked = (page: Page) => page.evaluate(() => '__xss' in globalThis);
