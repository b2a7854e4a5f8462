import { startIdentityProvider } from '@tastegraph/dev/identity-provider';
import { Tastegraph } from '@tastegraph/sdk';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { launchOptions } from '../../../../acceptance/test/chromium.ts';
import startService from '../../../../acceptance/test/setup.ts';
import { setUp } from '../../../../dev/src/demo/set-up.ts';
import { generateShop, type Shop } from '../../../../dev/src/demo/shop/generate-shop.ts';
import { payloads } from './payloads.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly projectId: string;
    readonly accountId: string;
    /** The session of an owner. */
    readonly cookies: readonly Cookie[];
    readonly password: string;
  }
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
}

/** Two words and a number that no test data has. */
const password = 'correct horse battery staple 42';

/**
 * Starts the service, trains and deploys a model for a bookshop some of whose books have titles that attack the page, and signs in
 * with the link that `npm run dev` prints.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const provider = await startIdentityProvider();
  for (const name of ['iris', 'stranger'])
    provider.people.set(name, { email: `${name}@example.com`, email_verified: true });
  const { issuer, clientId, clientSecret } = provider;
  Object.assign(process.env, {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: 'Example',
  });
  const stopService = await startService(project);
  const stop = async () => {
    await stopService();
    await provider[Symbol.asyncDispose]();
  };
  try {
    const { baseUrl, apiKey, apiSecret, consoleLink } = project.getProvidedContext();
    const client = new Tastegraph({ baseUrl, apiKey, apiSecret, scopes: 'all' });
    const { project_id } = await setUp(client, 'bookshop', attackingShop(), AbortSignal.timeout(110_000));
    const { cookies, accountId } = await signIn(consoleLink);
    project.provide('projectId', project_id);
    project.provide('accountId', accountId);
    project.provide('cookies', cookies);
    project.provide('password', password);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The first books are bought most, so that their titles are in histories, reasons and recommendations. */
function attackingShop(): Shop {
  const shop = generateShop();
  const books = shop.books.map((book, index) => {
    const payload = index % 5 === 0 ? payloads[(index / 5) % payloads.length] : undefined;
    if (payload === undefined) return book;
    const { title, author } = book.attributes;
    return {
      ...book,
      attributes: {
        ...book.attributes,
        title: `${title} ${payload}`,
        author: `${author} ${payload}`,
        cover: payload,
      },
    };
  });
  return { ...shop, books };
}

/** With the one-time link in a browser, as a person would. */
async function signIn(link: string): Promise<{ cookies: Cookie[]; accountId: string }> {
  const browser = await chromium.launch(launchOptions);
  try {
    const page = await browser.newPage();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Projects' }).waitFor({ timeout: 30_000 });
    if (page.url().includes('token')) throw new Error('The token of the link is still in the address.');
    const accountId = /\/accounts\/([^/?#]+)/.exec(page.url())?.[1] ?? '';
    await setPassword(page.context().request, new URL(link).origin);
    const cookies = await page.context().cookies();
    return { cookies, accountId };
  } finally {
    await browser.close();
  }
}

type Requests = Awaited<ReturnType<Awaited<ReturnType<typeof chromium.launch>>['newContext']>>['request'];

async function setPassword(request: Requests, origin: string): Promise<void> {
  const response = await request.post(`${origin}/console/set-password`, {
    data: { password },
    headers: { Origin: origin },
  });
  if (!response.ok()) throw new Error(`The password was not set: ${await response.text()}`);
}
