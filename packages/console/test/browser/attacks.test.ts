import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { shopClient } from './sdk-client.ts';
import { sharedBrowser } from './shared-browser.ts';

/** Answers every path with the page that was set last, as the site of an attacker. */
const site = { page: '', port: 0 };
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end(site.page);
});
let browser: Browser;
let victim: BrowserContext;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  site.port = (server.address() as AddressInfo).port;
  browser = await sharedBrowser();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => victim.close());

/** Another site; and another origin of the same site, to which the browser does send the session's cookie. */
const hosts = ['localhost', '127.0.0.1'];

/** Opens the attacker's page in the browser of an owner who is signed in. */
async function lure(host: string, html: string): Promise<Page> {
  site.page = `<!doctype html><title>Win a prize</title>${html}`;
  victim = await browser.newContext();
  await victim.addCookies([...inject('cookies')]);
  const page = await victim.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(`http://${host}:${site.port}/`);
  return page;
}

/** With the cookies that the browser has now, as the console asks when it starts. */
async function isSignedIn(): Promise<boolean> {
  const response = await victim.request.get(`${inject('baseUrl')}/console/session`);
  return response.status() === 200;
}

const projectIds = async () =>
  (await shopClient().listProjects()).projects.map(({ project_id }) => project_id);
const lastChange = async () => (await shopClient().listAuditEvents({ page_size: 1 })).audit_events;

describe.each(hosts)('a page of another origin, on %s', (host) => {
  test.each([
    ['/console/sign-out', { everywhere: 'true' }],
    ['/console/set-password', { password: 'chosen by the attacker' }],
    ['/console/sign-in', { email: 'attacker@example.com', password: 'of the attacker' }],
    ['/console/redeem-link', { token: 'of-the-attacker' }],
    ['/create-project', { name: 'by the attacker' }],
    ['/invite-person', { email: 'attacker@example.com', name: 'Attacker', role: 'OWNER' }],
    ['/create-api-key', { name: 'of the attacker' }],
  ])('cannot make a form call %s', async (path, fields) => {
    const before = await lastChange();
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
      // The body of the third is JSON that a form can send.
      const inputs =
        type === 'text/plain'
          ? `<input name='${JSON.stringify({ ...fields, x: '' }).slice(0, -2)}' value='"}'>`
          : Object.entries(fields)
              .map(([name, value]) => `<input name="${name}" value="${value}">`)
              .join('');
      const page = await lure(
        host,
        `<form method="post" enctype="${type}" action="${inject('baseUrl')}${path}">${inputs}<button>Go</button></form>`,
      );
      const [response] = await Promise.all([
        page.waitForResponse((each) => each.url().endsWith(path)),
        page.getByRole('button').click(),
      ]);
      expect([401, 403, 415]).toContain(response.status());
      expect(await isSignedIn()).toBe(true);
      await victim.close();
    }
    expect(await lastChange()).toEqual(before);
  });

  test('cannot call operations or read anything by script', async () => {
    const before = { change: await lastChange(), projects: await projectIds() };
    const page = await lure(host, '');
    const results = await page.evaluate(
      async ({ baseUrl, accountId, projectId }) => {
        const headers = { 'Tastegraph-Csrf': 'guess', 'Tastegraph-Account': accountId };
        const json = { ...headers, 'Content-Type': 'application/json' };
        const body = JSON.stringify({ project_id: projectId });
        const attempts: [string, RequestInit][] = [
          ['/console/session', {}],
          ['/console/sign-out', { method: 'POST', body: '{}' }],
          ['/console/sign-out', { method: 'POST', body: '{}', mode: 'no-cors' }],
          [
            '/console/sign-out',
            { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } },
          ],
          ['/list-projects', { headers }],
          ['/list-projects', { mode: 'no-cors' }],
          ['/delete-project', { method: 'DELETE', headers: json, body }],
          ['/delete-project', { method: 'POST', body, mode: 'no-cors' }],
          ['/create-api-key', { method: 'POST', headers: json, body: '{"name":"x"}' }],
          ['/create-api-key', { method: 'POST', body: '{"name":"x"}', mode: 'no-cors' }],
        ];
        return Promise.all(
          attempts.map(async ([path, options]) => {
            try {
              const response = await fetch(baseUrl + path, { credentials: 'include', ...options });
              return { path, type: response.type, text: await response.text() };
            } catch {
              return { path, type: 'refused', text: '' };
            }
          }),
        );
      },
      { baseUrl: inject('baseUrl'), accountId: inject('accountId'), projectId: inject('projectId') },
    );
    // Opaque: sent without a permission of ours, and the script learns nothing of the answer.
    for (const { type, text } of results) {
      expect(['refused', 'opaque']).toContain(type);
      expect(text).toBe('');
    }
    expect(await isSignedIn()).toBe(true);
    expect({ change: await lastChange(), projects: await projectIds() }).toEqual(before);
  });

  test('cannot sign the person out by starting a sign-in', async () => {
    const page = await lure(host, `<iframe src="${inject('baseUrl')}/console/oidc/start"></iframe>`);
    const frame = page.frames().find((each) => each !== page.mainFrame());
    await expect.poll(() => frame?.url()).toContain('/interaction/');
    expect(await isSignedIn()).toBe(true);
  });

  test.each(['/', '/sign-in', '/docs', '/list-projects'])('cannot show %s in a frame', async (path) => {
    const page = await lure(host, `<iframe src="${inject('baseUrl')}${path}"></iframe>`);
    const frame = page.frames().find((each) => each !== page.mainFrame());
    await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/);
    expect(await frame?.locator('body').innerText()).not.toMatch(/tastegraph|sign in|projects/i);
  });
});

test('a session that an attacker planted is not that of the person who signs in', async () => {
  const { link } = await shopClient().invitePerson({
    email: 'mallory@example.com',
    name: 'Mallory',
    role: 'VIEWER',
  });
  const attacker = await browser.newContext();
  const own = await attacker.newPage();
  await own.goto(link);
  await own.getByRole('button', { name: 'Signed in as Mallory' }).waitFor();
  const planted = await attacker.cookies();
  victim = await browser.newContext();
  await victim.addCookies(planted);
  const page = await victim.newPage();
  await page.goto(`${inject('baseUrl')}/sign-in`);
  await page.getByLabel('Email').fill('demo@localhost');
  await page.getByLabel('Password').fill(inject('password'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  const [session] = await victim.cookies();
  expect(session?.value).not.toBe(planted[0]?.value);
  // What was planted has ended, for the attacker too.
  await own.reload();
  await own.getByRole('button', { name: 'Sign in' }).waitFor();
  await attacker.close();
});
