import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { downloadResult } from '../src/download.ts';
import { StandIn } from './stand-in.ts';

test('a result that cannot be put at its place is no failure of the network', async () => {
  const service = await StandIn.open();
  const folder = mkdtempSync(join(tmpdir(), 'tastegraph-download-'));
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await service[Symbol.asyncDispose]();
  });
  const { signal } = new AbortController();
  const download_url = `${service.url}/result`;
  const failing = downloadResult({ download_url }, join(folder, 'nowhere/result.json'), signal);
  await expect(failing).rejects.toMatchObject({
    ...{ exitCode: 1, code: 'ENOENT' },
    message: expect.stringContaining('cannot be written') as string,
    next: expect.stringContaining('--out') as string,
  });
  await downloadResult({ download_url }, join(folder, 'result.json'), signal);
  expect(readdirSync(folder)).toEqual(['result.json']);
});
