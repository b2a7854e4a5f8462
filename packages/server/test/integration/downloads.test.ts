import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Download, follow, makeTwoTastes, resultOf, submitQueries } from './analysed-project.ts';
import { startTestApi, type TestApi } from './api.ts';
import type { Caller } from './caller.ts';
import { startCellSwift } from './job-swift.ts';

let api: TestApi;
let caller: Caller;
let result: Download;
let ask: (init?: RequestInit, address?: string) => Promise<Response>;
let text: string;
let askedAt: number;
let jobId: string;
let project_id: string;

beforeAll(async () => {
  api = await startTestApi({ BASE_URL: 'https://api.example.test/' });
  caller = await api.newCaller();
  const project = await makeTwoTastes(caller, 20);
  ({ project_id } = project);
  const queries = [{ attribute: 'parity', value: 'odd' }];
  jobId = await submitQueries(caller, project, { query_type: 'user_distribution', queries });
  await resultOf(caller, project_id, jobId);
  askedAt = Math.floor(Date.now() / 1000);
  result = await resultOf(caller, project_id, jobId);
  ask = (init = {}, address = result.download_url) => follow(caller, address, init);
  text = await (await ask()).text();
}, 120_000);
afterAll(() => api[Symbol.asyncDispose]());

const range = (bytes: string, more: Record<string, string> = {}) =>
  ask({ headers: { range: bytes, ...more } });

describe('the address of a result', () => {
  test('is of the public address, holds for 24 hours, and is fresh each time', async () => {
    expect(result.download_url).toMatch(/^https:\/\/api\.example\.test\/downloads\/results\//);
    expect(result.expired_at_sec).toBeGreaterThanOrEqual(askedAt + 24 * 3600);
    expect(result.expired_at_sec).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 24 * 3600);
    const expires = Number(new URL(result.download_url).searchParams.get('expires'));
    expect(expires - result.expired_at_sec).toBeLessThanOrEqual(1);
    expect(expires).toBeGreaterThanOrEqual(result.expired_at_sec);
    await sleep(1100);
    const again = await resultOf(caller, project_id, jobId);
    expect(again.expired_at_sec).toBeGreaterThan(result.expired_at_sec);
    expect(await (await ask({}, again.download_url)).text()).toBe(text);
    const { jobs } = await caller.call('listJobs', { project_id, job_type: 'QUERYING' });
    const listed = jobs[0]?.job_result as Download;
    expect(Object.keys(listed)).toEqual(['download_url', 'expired_at_sec', 'message']);
    expect(await (await ask({}, listed.download_url)).text()).toBe(text);
  });

  test('needs no token, and says what it is', async () => {
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="user-distribution-${jobId}.json"; filename*=UTF-8''user-distribution-${jobId}.json`,
      'content-length': String(text.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
    expect(JSON.parse(await answer.text())).toHaveProperty('distributions');
  });

  test('of a chart runs no script', async () => {
    const chart = await ask({}, result.chart_urls?.[0]);
    expect(chart.headers.get('content-type')).toBe('image/svg+xml');
    expect(chart.headers.get('content-security-policy')).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    );
    expect(await chart.text()).not.toContain('<script');
  });

  test('answers the head alone', async () => {
    const head = await ask({ method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(text.length));
    expect(await head.text()).toBe('');
    const part = await ask({ method: 'HEAD', headers: { range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-length')]).toEqual([206, '3']);
  });

  test('answers parts', async () => {
    const size = text.length;
    for (const [asked, first, last] of [
      ['bytes=0-0', 0, 0],
      ['bytes=5-9', 5, 9],
      ['bytes=10-', 10, size - 1],
      ['bytes=-7', size - 7, size - 1],
      [`bytes=3-${size * 2}`, 3, size - 1],
    ] as const) {
      const answer = await range(asked);
      expect(answer.status).toBe(206);
      expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${last}/${size}`);
      expect(answer.headers.get('content-length')).toBe(String(last - first + 1));
      expect(await answer.text()).toBe(text.slice(first, last + 1));
    }
    const several = await range('bytes=0-1,4-5');
    expect([several.status, await several.text()]).toEqual([200, text]);
  });

  test('answers 416 to what is beyond the end, and says where that is', async () => {
    const answer = await range(`bytes=${text.length}-`);
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe(`bytes */${text.length}`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await answer.json()).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE', status: 416 });
  });

  test('gives a part of the same file only, and nothing that the caller has already', async () => {
    const etag = (await ask({ method: 'HEAD' })).headers.get('etag') ?? '';
    const part = await range('bytes=0-1', { 'if-range': etag });
    expect([part.status, await part.text()]).toEqual([206, text.slice(0, 2)]);
    const whole = await range('bytes=0-1', { 'if-range': '"other"' });
    expect([whole.status, await whole.text()]).toEqual([200, text]);
    const kept = await ask({ headers: { 'if-none-match': etag } });
    expect([kept.status, await kept.text()]).toEqual([304, '']);
  });

  test('that was changed, is over or leads nowhere is refused, always in the same words', async () => {
    const changed = (change: (url: URL) => void) => {
      const url = new URL(result.download_url);
      change(url);
      return url.href;
    };
    const put = (name: string, value: string) => changed((url) => url.searchParams.set(name, value));
    const key = new URL(result.download_url).pathname.slice('/downloads/'.length);
    const signed = (of: string, seconds: number) =>
      api.store.presign(of, { seconds, fileName: 'a', contentType: 'a/b' });
    const over = await signed(key, 1);
    await sleep(2000);
    const { jobs } = await caller.call('listJobs', { project_id, job_type: 'TRAINING' });
    const addresses = [
      ...[over, await signed('results/nobody/1/x.json', 60)],
      ...[put('expires', '9999999999'), put('name', 'other.html'), put('type', 'text/html')],
      ...[put('signature', ''), put('signature', 'x'.repeat(43))],
      changed((url) => url.searchParams.delete('signature')),
      changed((url) => url.searchParams.append('expires', '9999999999')),
      changed((url) => (url.pathname = `/downloads/models/${jobs[0]?.job_id}/1.tgm`)),
      changed((url) => (url.pathname = '/downloads/../.download-secret')),
      changed((url) => (url.pathname = '/downloads/%2e%2e/.download-secret')),
      'https://x/downloads/',
      'https://x/downloads/a.b',
    ];
    const bodies = new Set<string>();
    for (const address of addresses) {
      const answer = await ask({}, address);
      expect({ address, status: answer.status }).toEqual({ address, status: 404 });
      const body = (await answer.json()) as { request_id: string; detail: string };
      if (address.includes('/downloads/')) bodies.add(JSON.stringify({ ...body, request_id: '' }));
      expect(answer.headers.get('etag')).toBeNull();
    }
    expect([...bodies].filter((body) => body.includes('no such download'))).toHaveLength(1);
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask({ method })).status).toBe(404);
  });

  test('holds its file open no longer than its reader stays', async () => {
    const countOpen = async () => (await readdir('/proc/self/fd')).length;
    await api.store.put('results/large/1/x.bin', [Buffer.alloc(30_000_000)]);
    const address = await api.store.presign('results/large/1/x.bin', {
      ...{ seconds: 60, fileName: 'x.bin', contentType: 'application/octet-stream' },
    });
    const before = await countOpen();
    for (let reader = 0; reader < 10; reader++) {
      const going = new AbortController();
      const answer = await ask({ signal: going.signal }, address);
      await answer.body?.getReader().read();
      going.abort();
    }
    await expect.poll(countOpen, { timeout: 10_000 }).toBeLessThanOrEqual(before + 2);
    expect((await (await ask({}, address)).arrayBuffer()).byteLength).toBe(30_000_000);
    await api.store.delete('results/large/1/x.bin');
  });
});

test('where results are in S3, the address is the store’s own', async () => {
  await using swift = await startCellSwift();
  await swift.createBucket();
  await using elsewhere = await startTestApi(swift.env);
  const own = await elsewhere.newCaller();
  const project = await makeTwoTastes(own, 20);
  const queries = [{ attribute: 'parity', value: 'odd' }];
  const job = await submitQueries(own, project, { query_type: 'user_distribution', queries });
  const found = await resultOf(own, project.project_id, job);
  expect(new URL(found.download_url).searchParams.get('X-Amz-Expires')).toBe(String(24 * 3600));
  const answer = await fetch(found.download_url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('content-disposition')).toContain(`user-distribution-${job}.json`);
  expect(await answer.json()).toHaveProperty('distributions');
  const part = await fetch(found.download_url, { headers: { range: 'bytes=0-4' } });
  expect([part.status, (await part.text()).length]).toEqual([206, 5]);
  const chart = await fetch(found.chart_urls?.[0] ?? '');
  expect(chart.headers.get('content-type')).toBe('image/svg+xml');
  await chart.body?.cancel();
  const url = new URL(found.download_url);
  url.searchParams.set('X-Amz-Signature', '0'.repeat(64));
  expect((await fetch(url)).status).toBe(403);
}, 120_000);
