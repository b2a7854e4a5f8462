import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { downloadResult } from '../src/download.ts';
import { FakeService } from './fake-service.ts';

test('a result that cannot be written is not reported as a network error', async () => {
  const service = await FakeService.open();
  const folder = mkdtempSync(join(tmpdir(), 'tastegraph-download-'));
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await service[Symbol.asyncDispose]();
  });
  const { signal } = new AbortController();
  const download_url = `${service.url}/result`;
  const failing = downloadResult({ download_url }, join(folder, 'nowhere/result.json'), signal);
  await expect(failing).rejects.toMatchObject({
    exitCode: 1,
    code: 'ENOENT',
    next: expect.stringContaining('--out') as string,
  });
  await downloadResult({ download_url }, join(folder, 'result.json'), signal);
  expect(readdirSync(folder)).toEqual(['result.json']);
});

async function listen(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, server };
}

test('a redirect to the store is followed without credentials', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const store = await listen((request, response) => {
    seen.push(request.headers);
    response.end('from the store');
  });
  const api = await listen((request, response) => {
    seen.push(request.headers);
    response.writeHead(307, { Location: `${store.url}/bucket/result` }).end();
  });
  const folder = mkdtempSync(join(tmpdir(), 'tastegraph-download-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'result.json');
  const { signal } = new AbortController();
  await downloadResult({ download_url: `${api.url}/downloads/result` }, path, signal);
  expect(readFileSync(path, 'utf8')).toBe('from the store');
  expect(seen).toHaveLength(2);
  for (const headers of seen) {
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('apikey');
  }
});

test('the error names a store that cannot be reached', async () => {
  const store = await listen(() => undefined);
  store.server.close();
  const api = await listen((_request, response) => {
    response.writeHead(307, { Location: `${store.url}/bucket/result` }).end();
  });
  const { signal } = new AbortController();
  const failing = downloadResult({ download_url: api.url }, join(tmpdir(), 'never.json'), signal);
  await expect(failing).rejects.toMatchObject({
    code: 'DOWNLOAD_FAILED',
    message: expect.stringContaining(new URL(store.url).host) as string,
  });
});
