import { beforeAll, expect, test } from 'vitest';
import { updateApiKeyRevoked } from '../../../src/keys/rows.ts';
import { type Download, follow, makeTwoTastes, resultOf, submitQueries } from '../stack/analysed-project.ts';
import { startTestApi } from '../stack/api.ts';
import { Caller, newKey } from '../stack/caller.ts';
import { perFile } from '../stack/stack.ts';
import { startSwiftWithBucket } from './job-swift.ts';

let result: Download;
let ask: (init?: RequestInit, address?: string) => Promise<Response>;
let jobId: string;
let project_id: string;

const swift = perFile(() => startSwiftWithBucket());
const api = perFile(() => startTestApi({ ...swift.env, BASE_URL: 'https://api.example.test/' }));
const caller = perFile(() => api.newCaller());

beforeAll(async () => {
  const project = await makeTwoTastes(caller, 20);
  ({ project_id } = project);
  const queries = [{ attribute: 'parity', value: 'odd' }];
  jobId = await submitQueries(caller, project, { query_type: 'user_distribution', queries });
  result = await resultOf(caller, project_id, jobId);
  ask = (init = {}, address = result.download_url) => follow(caller, address, init);
}, 240_000);

const redirectOf = async (init: RequestInit = {}, address?: string) => {
  const answer = await ask({ ...init, redirect: 'manual' }, address);
  return { answer, location: new URL(answer.headers.get('location') ?? 'http://nowhere') };
};

test('the URL of a result in S3 is at BASE_URL and valid for 24 hours', () => {
  const now = Math.floor(Date.now() / 1000);
  for (const address of [result.download_url, ...(result.chart_urls ?? [])]) {
    expect(address).toMatch(/^https:\/\/api\.example\.test\/downloads\/results\//);
    const expires = Number(new URL(address).searchParams.get('expires'));
    expect(expires).toBeGreaterThanOrEqual(result.expired_at_sec);
    expect(expires).toBeGreaterThan(now + 23 * 3600);
    expect(expires).toBeLessThanOrEqual(now + 24 * 3600);
  }
});

test('it redirects to the store for 5 minutes, and no cache keeps the redirect', async () => {
  const { answer, location } = await redirectOf();
  expect(answer.status).toBe(307);
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  expect(await answer.text()).toBe('');
  expect(location.searchParams.get('X-Amz-Expires')).toBe('300');
  expect(location.searchParams.has('X-Amz-Signature')).toBe(true);
  location.searchParams.set('X-Amz-Signature', '0'.repeat(64));
  expect((await fetch(location)).status).toBe(403);
});

test('a client that follows it gets the bytes, the name and the type', async () => {
  const answer = await ask();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('content-disposition')).toContain(`user-distribution-${jobId}.json`);
  expect(await answer.json()).toHaveProperty('distributions');
  const chart = await ask({}, result.chart_urls?.[0]);
  expect(chart.headers.get('content-type')).toBe('image/svg+xml');
  await chart.body?.cancel();
});

test('with redirect=false it sends the file itself, also in part', async () => {
  const address = `${result.download_url}&redirect=false`;
  const { answer } = await redirectOf({}, address);
  expect(answer.status).toBe(200);
  const whole = await answer.text();
  expect(whole).toBe(await (await ask()).text());
  const part = (await redirectOf({ headers: { range: 'bytes=0-4' } }, address)).answer;
  expect([part.status, await part.text()]).toEqual([206, whole.slice(0, 5)]);
});

test('HEAD and ranges work through the redirect', async () => {
  const whole = await (await ask()).text();
  const head = await ask({ method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(whole))]);
  const part = await ask({ headers: { range: 'bytes=0-4' } });
  expect([part.status, await part.text()]).toEqual([206, whole.slice(0, 5)]);
});

test('a changed URL returns 404 and does not redirect', async () => {
  const changed = new URL(result.download_url);
  changed.searchParams.set('expires', '9999999999');
  const { answer } = await redirectOf({}, changed.href);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('location')).toBeNull();
  expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' });
});

test('revoking the API key invalidates its URLs', async () => {
  const other = new Caller(caller.baseUrl, await newKey(api.db, caller.accountId));
  const { download_url, chart_urls = [] } = await resultOf(other, project_id, jobId);
  const addresses = [download_url, ...chart_urls];
  for (const address of addresses) expect((await redirectOf({}, address)).answer.status).toBe(307);
  await updateApiKeyRevoked(api.db, other.credentials.apiKey);
  for (const address of addresses) expect((await redirectOf({}, address)).answer.status).toBe(404);
  expect((await redirectOf()).answer.status).toBe(307);
});

test('deleting the job invalidates its URLs', async () => {
  await caller.call('deleteJob', { project_id, job_id: jobId });
  for (const address of [result.download_url, ...(result.chart_urls ?? [])])
    expect((await redirectOf({}, address)).answer.status).toBe(404);
});
