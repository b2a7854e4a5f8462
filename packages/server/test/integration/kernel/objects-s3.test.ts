import { startSwift } from '@tastegraph/dev';
import { describe, expect, test } from 'vitest';
import { openS3Store, type S3Options } from '../../../src/kernel/objects/s3/open.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import { perFile } from '../stack/stack.ts';
import { text } from './objects-bytes.ts';
import { describeObjectStore } from './objects-conformance.ts';
import { describeDownloads } from './objects-downloads.ts';
import { openS3Subject, s3OptionsOf } from './objects-subjects.ts';

const swift = perFile(() => startSwift());

describeObjectStore('S3', () => openS3Subject(swift), describeDownloads);

describe('S3, unlike a folder,', () => {
  const openWith = (change: Partial<S3Options>) => openS3Store({ ...s3OptionsOf(swift), ...change });
  const everything = (store: ObjectStore) => [
    () => store.put('a.txt', text('x')),
    () => store.read('a.txt'),
    () => store.delete('a.txt'),
    () => store.list(''),
  ];

  test.each(['the secret', 'the key'])('refuses every call if %s is wrong', async (wrong) => {
    const { accessKeyId, secretAccessKey } = swift;
    const credentials =
      wrong === 'the key'
        ? { accessKeyId: 'tastegraph:nobody', secretAccessKey }
        : { accessKeyId, secretAccessKey: `${secretAccessKey}x` };
    await using store = openWith({ credentials });
    for (const act of everything(store)) {
      await expect(act()).rejects.toMatchObject({ name: 'ObjectStoreError', kind: 'refused' });
    }
    const url = await store.presign('a.txt', { seconds: 60, fileName: 'a.txt', contentType: 'text/plain' });
    expect((await fetch(url)).status).toBe(403);
  });

  test('reports a missing bucket as refused, not as absent objects', async () => {
    await using store = openWith({ bucket: 'nobody-made-it' });
    const [put, read, , list] = everything(store);
    for (const act of [put, read, list]) {
      await expect(act?.()).rejects.toMatchObject({ name: 'ObjectStoreError', kind: 'refused' });
    }
  });

  test('signs downloads for its public endpoint', async () => {
    const publicEndpoint = swift.url.replace('127.0.0.1', 'localhost');
    await using store = openWith({ publicEndpoint });
    await store.put('public.txt', text('for all'));
    const download = { seconds: 60, fileName: 'public.txt', contentType: 'text/plain' };
    const url = await store.presign('public.txt', download);
    expect(url.startsWith(publicEndpoint)).toBe(true);
    expect(await (await fetch(url)).text()).toBe('for all');
  });
});
