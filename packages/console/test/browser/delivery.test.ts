import { gzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';

const { open, openScreen } = useConsole();
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(inject('baseUrl') + path, { headers });

test.each(['/', '/sign-in', '/accounts/any/projects/any/playground'])(
  '%s is the page, with a strict policy',
  async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-(?:inline|eval)/);
    const nonce = policyNonce(policy) ?? 'none';
    const other = nonceOf(await get(path));
    expect(await response.text()).toContain(`nonce="${nonce}"`);
    expect(other).not.toBe(nonce);
  },
);

const policyNonce = (policy: string) => /'nonce-([^']+)'/.exec(policy)?.[1];
const nonceOf = (response: Response) => policyNonce(response.headers.get('content-security-policy') ?? '');

test('files with a hash in their name are kept by browsers, compressed and revalidated', async () => {
  const page = await (await get('/')).text();
  const path = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
  const response = await get(path);
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('content-encoding')).toBe('gzip');
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const again = await get(path, { 'If-None-Match': response.headers.get('etag') ?? '' });
  expect(again.status).toBe(304);
  const plain = await get(path, { 'Accept-Encoding': 'identity' });
  expect(plain.headers.get('content-encoding')).toBeNull();
});

test.each([
  '/assets/no-such-file.js',
  '/no-such-page',
  '/assets/../../package.json',
  '/projects/any',
  '/account',
])('%s is no page of the console', async (path) => {
  const response = await get(path);
  expect(response.status).toBeGreaterThanOrEqual(404);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
});

test('the API page and the contract stay where they were', async () => {
  expect((await get('/openapi.json')).headers.get('content-type')).toContain('application/json');
  expect((await get('/docs')).status).toBe(200);
});

test('the first screen needs less than 130 kB of JavaScript, compressed', async () => {
  const page = await open('/sign-in', { signedOut: true });
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const sizes: Promise<number>[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(sizes.length).toBeGreaterThan(0);
  expect(total).toBeLessThan(130_000);
});

test('what is asked for early is not asked for again when the console runs', async () => {
  const page = await openScreen('');
  await page.getByText('target', { exact: true }).waitFor();
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  await page.reload();
  await page.getByText('target', { exact: true }).waitFor();
  // The router asks for the statistics right after the project.
  const before = paths.slice(0, paths.indexOf('/get-project-statistics'));
  const early = ['/console/session', '/get-project', '/list-projects'];
  expect(before.filter((path) => early.includes(path)).toSorted()).toEqual(early);
});

test('the page asks for the session early, except where people sign in', async () => {
  expect((await get('/')).headers.get('link')).toContain('</console/session>');
  expect((await get('/sign-in')).headers.get('link')).toBeNull();
});

test('the console loads nothing from other hosts', async () => {
  const page = await openScreen('/playground?user=anna');
  const hosts: string[] = [];
  page.on('request', (request) => hosts.push(new URL(request.url()).origin));
  await page.reload();
  await page.getByRole('list', { name: 'Reasons' }).first().waitFor();
  expect(new Set(hosts)).toEqual(new Set([inject('baseUrl')]));
});

test('no secret and no token is in the storage of the browser', async () => {
  const page = await openScreen('');
  await page.getByText('target', { exact: true }).waitFor();
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
  );
  expect(stored).toBe('[[],[],""]');
});
