import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFolderStore } from '../../../src/kernel/objects/folder/open.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import { mountSmallDisk } from '../stack/small-disk.ts';
import { bytesOf, text, textOf } from './objects-bytes.ts';

const disk = await mountSmallDisk(8);

describe.runIf(disk)('a folder on a disk', () => {
  const place = disk?.place ?? '';
  let store: ObjectStore;
  beforeAll(async () => {
    store = await openFolderStore({ root: join(place, 'objects') });
    await store.put('before.txt', text('there before'));
  });
  afterAll(async () => {
    await disk?.[Symbol.asyncDispose]();
  });

  test('that is full keeps existing objects, shows no partial ones, and accepts writes again when there is space', async () => {
    for (const key of ['large.bin', 'before.txt']) {
      await expect(store.put(key, bytesOf(20_000_000))).rejects.toMatchObject({
        name: 'ObjectStoreError',
        kind: 'unavailable',
        cause: { code: 'ENOSPC' },
      });
    }
    expect((await store.list('')).objects).toMatchObject([{ key: 'before.txt', size: 12 }]);
    expect(await textOf(store, 'before.txt')).toBe('there before');
    expect(await readdir(join(place, 'objects', '.drafts'))).toEqual([]);
    await store.put('after.bin', bytesOf(5_000_000));
    expect((await store.list('after')).objects).toMatchObject([{ key: 'after.bin', size: 5_000_000 }]);
  });

  test('that is read-only refuses writes and allows reads', async () => {
    await disk?.makeReadOnly();
    await expect(store.put('new.txt', text('x'))).rejects.toMatchObject({ kind: 'refused' });
    await expect(store.delete('before.txt')).rejects.toMatchObject({ kind: 'refused' });
    expect(await textOf(store, 'before.txt')).toBe('there before');
  });
});
