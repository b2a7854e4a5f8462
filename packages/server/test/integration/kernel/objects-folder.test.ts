import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolderStore } from '../../../src/kernel/objects/folder/open.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import { bytesOf, summaryOf, text, textOf } from './objects-bytes.ts';
import { describeObjectStore } from './objects-conformance.ts';
import { openFolderSubject } from './objects-subjects.ts';

describeObjectStore('a folder', openFolderSubject);

describe('a folder, unlike S3,', () => {
  let root: string;
  let store: ObjectStore;
  const openStore = () => openFolderStore({ root });
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
    store = await openStore();
  });
  afterEach(() => rm(root, { recursive: true }));

  test('lets a reader finish the old object when it is replaced or deleted', async () => {
    await store.put('a.bin', bytesOf(5_000_000, 1));
    const [first, second] = [await store.read('a.bin'), await store.read('a.bin')];
    await store.put('a.bin', bytesOf(5_000_000, 2));
    expect(await summaryOf(first.bytes)).toEqual(await summaryOf(bytesOf(5_000_000, 1)));
    await store.delete('a.bin');
    expect(await summaryOf(second.bytes)).toEqual(await summaryOf(bytesOf(5_000_000, 1)));
  });

  test('removes empty folders, even with concurrent writes and deletes', async () => {
    const churn = async (name: string) => {
      for (let round = 0; round < 50; round++) {
        await store.put(`deep/down/${name}.txt`, text(name));
        expect(await textOf(store, `deep/down/${name}.txt`)).toBe(name);
        await store.delete(`deep/down/${name}.txt`);
      }
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(churn));
    expect(await readdir(root)).toEqual(['.drafts']);
  });

  test('closes its files when their readers end', async () => {
    const countOpen = async () => (await readdir('/proc/self/fd')).length;
    await store.put('a.bin', bytesOf(1_000_000));
    const before = await countOpen();
    for (let round = 0; round < 20; round++) {
      const [unread, begun] = [await store.read('a.bin'), await store.read('a.bin')];
      unread.bytes.destroy();
      await once(begun.bytes, 'readable');
      begun.bytes.destroy();
      await summaryOf((await store.read('a.bin')).bytes);
    }
    await expect.poll(countOpen).toBeLessThanOrEqual(before + 2);
  });

  describe('when a writer was killed', () => {
    let writer: ChildProcess;
    beforeEach(async () => {
      const script = fileURLToPath(new URL('./objects-writer.ts', import.meta.url));
      writer = spawn(process.execPath, [script, root], { stdio: ['ignore', 'pipe', 'inherit'] });
      if (writer.stdout) await once(writer.stdout, 'data');
    });
    afterEach(() => writer.kill('SIGKILL'));

    test("a dead writer's draft is invisible, and swept at the next open, but a live writer's is not", async () => {
      await openStore();
      expect(await readdir(join(root, '.drafts'))).toHaveLength(1);
      const exited = once(writer, 'exit');
      writer.kill('SIGKILL');
      await exited;
      expect((await store.list('')).objects).toEqual([]);
      await expect(store.read('never/whole.bin')).rejects.toMatchObject({ kind: 'absent' });
      await openStore();
      expect(await readdir(join(root, '.drafts'))).toEqual([]);
    });
  });

  test('the draft of a writer on another machine is swept after long silence', async () => {
    const draft = join(root, '.drafts', 'elsewhere.1.1.a');
    await writeFile(draft, 'half');
    await openStore();
    expect(existsSync(draft)).toBe(true);
    const longAgo = new Date(Date.now() - 7 * 3600_000);
    await utimes(draft, longAgo, longAgo);
    await openStore();
    expect(existsSync(draft)).toBe(false);
  });

  test('the draft of a thread that ended in a live process is swept after long silence', async () => {
    const put = store.put('of/this/process.bin', hanging());
    await expect.poll(() => readdir(join(root, '.drafts'))).toHaveLength(1);
    const [draft = ''] = await readdir(join(root, '.drafts'));
    await openStore();
    expect(existsSync(join(root, '.drafts', draft))).toBe(true);
    const longAgo = new Date(Date.now() - 7 * 3600_000);
    await utimes(join(root, '.drafts', draft), longAgo, longAgo);
    await openStore();
    expect(existsSync(join(root, '.drafts', draft))).toBe(false);
    goOn.abort();
    await expect(put).rejects.toThrow();
  });
  const goOn = new AbortController();
  async function* hanging() {
    yield Buffer.from('some');
    await once(goOn.signal, 'abort');
    throw new Error('it was ended');
  }

  test('a removed root is reported as unavailable, not as absent objects', async () => {
    await rm(root, { recursive: true });
    await expect(store.put('a.txt', text('x'))).rejects.toMatchObject({ kind: 'unavailable' });
    await openStore();
  });
});
