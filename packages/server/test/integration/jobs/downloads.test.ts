import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { downloadUrl, openDownloads } from '../../../src/jobs/downloads.ts';
import { serveDownloads } from '../../../src/jobs/http.ts';
import { updateApiKeyRevoked } from '../../../src/keys/rows.ts';
import { type Download, follow, makeTwoTastes, resultOf, submitQueries } from '../stack/analysed-project.ts';
import { Caller, newKey } from '../stack/caller.ts';
import { api, caller, ownProduct } from '../stack/stack.ts';

let result: Download;
let ask: (init?: RequestInit, address?: string) => Promise<Response>;
let text: string;
/** Of `text`, in UTF-8. */
let size: number;
let askedAt: number;
let jobId: string;
let project_id: string;

ownProduct({ BASE_URL: 'https://api.example.test/' });

beforeAll(async () => {
  const project = await makeTwoTastes(caller, 20);
  ({ project_id } = project);
  const queries = [{ attribute: 'parity', value: 'odd' }];
  jobId = await submitQueries(caller, project, { query_type: 'user_distribution', queries });
  await resultOf(caller, project_id, jobId);
  askedAt = Math.floor(Date.now() / 1000);
  result = await resultOf(caller, project_id, jobId);
  ask = (init = {}, address = result.download_url) => follow(caller, address, init);
  text = await (await ask()).text();
  size = Buffer.byteLength(text);
}, 120_000);

const range = (bytes: string, more: Record<string, string> = {}) =>
  ask({ headers: { range: bytes, ...more } });

describe('the URL of a result', () => {
  test('starts with the public address, is valid for 24 hours, and is new each time', async () => {
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

  test('needs no token, and returns the file with its name and type', async () => {
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="user-distribution-${jobId}.json"; filename*=UTF-8''user-distribution-${jobId}.json`,
      'content-length': String(size),
      'accept-ranges': 'bytes',
      'cache-control': 'private',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
    expect(JSON.parse(await answer.text())).toHaveProperty('distributions');
  });

  test('of a chart allows no script', async () => {
    const chart = await ask({}, result.chart_urls?.[0]);
    expect(chart.headers.get('content-type')).toBe('image/svg+xml');
    expect(chart.headers.get('content-security-policy')).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    );
    expect(await chart.text()).not.toContain('<script');
  });

  test('supports HEAD', async () => {
    const head = await ask({ method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(size));
    expect(await head.text()).toBe('');
    const part = await ask({ method: 'HEAD', headers: { range: 'bytes=2-4' } });
    expect([part.status, part.headers.get('content-length')]).toEqual([206, '3']);
  });

  test('supports ranges', async () => {
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
      expect(await answer.text()).toBe(Buffer.from(text).toString('utf8', first, last + 1));
    }
    const several = await range('bytes=0-1,4-5');
    expect([several.status, await several.text()]).toEqual([200, text]);
  });

  test('returns 416 with the size for a range beyond the end', async () => {
    const answer = await range(`bytes=${size}-`);
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe(`bytes */${size}`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await answer.json()).toMatchObject({ code: 'RANGE_NOT_SATISFIABLE', status: 416 });
  });

  test('supports If-Range and If-None-Match', async () => {
    const etag = (await ask({ method: 'HEAD' })).headers.get('etag') ?? '';
    const part = await range('bytes=0-1', { 'if-range': etag });
    expect([part.status, await part.text()]).toEqual([206, text.slice(0, 2)]);
    const whole = await range('bytes=0-1', { 'if-range': '"other"' });
    expect([whole.status, await whole.text()]).toEqual([200, text]);
    const kept = await ask({ headers: { 'if-none-match': etag } });
    expect([kept.status, await kept.text()]).toEqual([304, '']);
  });

  test('that was changed, has expired or leads nowhere always gets the same error', async () => {
    const changed = (change: (url: URL) => void) => {
      const url = new URL(result.download_url);
      change(url);
      return url.href;
    };
    const put = (name: string, value: string) => changed((url) => url.searchParams.set(name, value));
    const key = new URL(result.download_url).pathname.slice('/downloads/'.length);
    const downloads = await openDownloads(api.db, api.store, 'https://x');
    const signed = (object_key: string, secondsAgo: number) => {
      const file = { object_key, file_name: 'a.json', content_type: 'application/json' };
      const then = new Date(Date.now() - secondsAgo * 1000);
      return downloadUrl(downloads, file, caller.credentials.apiKey, then);
    };
    const day = 24 * 3600;
    expect((await ask({ method: 'HEAD' }, signed(key, day - 60))).status).toBe(200);
    const { jobs } = await caller.call('listJobs', { project_id, job_type: 'TRAINING' });
    const addresses = [
      signed(key, day),
      signed('results/nobody/1/x.json', 0),
      put('expires', '9999999999'),
      put('name', 'other.html'),
      put('type', 'text/html'),
      put('signature', ''),
      put('signature', 'x'.repeat(43)),
      changed((url) => url.searchParams.delete('signature')),
      changed((url) => url.searchParams.append('expires', '9999999999')),
      changed((url) => (url.pathname = `/downloads/models/${jobs[0]?.job_id}/1.tgm`)),
      changed((url) => (url.pathname = '/downloads/../.download-secret')),
      changed((url) => (url.pathname = '/downloads/%2e%2e/.download-secret')),
      'https://x/downloads/',
      'https://x/downloads/a.b',
    ];
    const details = new Set<string>();
    for (const address of addresses) {
      const answer = await ask({}, address);
      expect({ address, status: answer.status }).toEqual({ address, status: 404 });
      const { detail } = (await answer.json()) as { detail: string };
      // Other errors belong to paths that are not downloads.
      if (detail.includes('/get-job')) details.add(detail);
      expect(answer.headers.get('etag')).toBeNull();
    }
    expect(details.size).toBe(1);
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask({ method })).status).toBe(405);
  });

  test('closes its file when the client disconnects', async () => {
    const countOpen = async () => (await readdir('/proc/self/fd')).length;
    const address = result.download_url;
    const key = new URL(address).pathname.slice('/downloads/'.length);
    await api.store.put(key, [Buffer.alloc(30_000_000)]);
    const before = await countOpen();
    for (let reader = 0; reader < 10; reader++) {
      const going = new AbortController();
      const answer = await ask({ signal: going.signal }, address);
      await answer.body?.getReader().read();
      going.abort();
    }
    await expect.poll(countOpen, { timeout: 10_000 }).toBeLessThanOrEqual(before + 2);
    expect((await (await ask({}, address)).arrayBuffer()).byteLength).toBe(30_000_000);
  });

  test('keeps the connection, unless the process is stopping when the file ends', async () => {
    const stopping = new AbortController();
    const app = fastify();
    onTestFinished(() => app.close());
    serveDownloads(app, await openDownloads(api.db, api.store, ''), async () => true, stopping.signal);
    const origin = await app.listen();
    const { pathname, search } = new URL(result.download_url);
    // Larger than what a connection buffers.
    await api.store.put(pathname.slice('/downloads/'.length), [Buffer.alloc(30_000_000)]);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const start = async () => {
      const request = http.get(`${origin}${pathname}${search}`, { agent });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      return response;
    };
    const first = await start();
    expect([first.statusCode, first.headers.connection]).toEqual([200, 'keep-alive']);
    const { socket } = first;
    const freed = once(agent, 'free');
    await once(first.resume(), 'end');
    await freed;
    const second = await start();
    expect(second.socket === socket).toBe(true);
    const closed = once(second.socket, 'close');
    stopping.abort();
    await once(second.resume(), 'end');
    expect(second.complete).toBe(true);
    await closed;
  });
});

test('the URL of a result becomes invalid when its API key is revoked', async () => {
  const other = new Caller(caller.baseUrl, await newKey(api.db, caller.accountId));
  const { download_url, chart_urls = [] } = await resultOf(other, project_id, jobId);
  const addresses = [download_url, ...chart_urls];
  for (const address of addresses) expect((await ask({ method: 'HEAD' }, address)).status).toBe(200);
  await updateApiKeyRevoked(api.db, other.credentials.apiKey);
  for (const address of addresses) expect((await ask({}, address)).status).toBe(404);
  expect((await ask({ method: 'HEAD' })).status).toBe(200);
});
