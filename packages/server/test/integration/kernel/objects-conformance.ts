import { describe, expect, test } from 'vitest';
import { perFile } from '../stack/stack.ts';
import { bytesOf, peakBytesOf, summaryOf, text, textOf } from './objects-bytes.ts';
import type { Subject } from './objects-subjects.ts';
import { describeWholeness } from './objects-wholeness.ts';

const MIB = 1024 * 1024;

/** What every ObjectStore must do; `describeMore` adds tests for stores that do more. */
export function describeObjectStore<Of extends Subject>(
  name: string,
  open: () => Promise<Of>,
  describeMore: (current: () => Of) => void = () => undefined,
): void {
  describe(name, () => {
    const subject = perFile(open);
    const current = () => subject;
    describeReadsAndWrites(current);
    describeLists(current);
    describeWholeness(current);
    describeMore(current);
  });
}

function describeReadsAndWrites(current: () => Subject): void {
  // A multipart upload has parts of 16 MiB: less than one, exactly one, and two and a rest.
  test.each([0, 1, 5 * MIB, 16 * MIB, 33 * MIB + 7])('%i bytes are read as written', async (size) => {
    const { store } = current();
    const stored = await store.put(`sizes/${size}.bin`, bytesOf(size));
    expect(stored).toEqual(await summaryOf(bytesOf(size)));
    const body = await store.read(`sizes/${size}.bin`, { expect: stored });
    expect(body.size).toBe(size);
    expect(await summaryOf(body.bytes)).toEqual(stored);
  });

  test('a range is read by its first and last byte', async () => {
    const { store } = current();
    await store.put('parts/digits.txt', text('0123456789'));
    const part = async (first: number, last: number) => {
      const { size, bytes } = await store.read('parts/digits.txt', { range: { first, last } });
      const read = Buffer.concat((await bytes.toArray()) as Buffer[]).toString();
      expect(size).toBe(read.length);
      return read;
    };
    expect(await part(0, 9)).toBe('0123456789');
    expect(await part(0, 0)).toBe('0');
    expect(await part(3, 5)).toBe('345');
    expect(await part(9, 9)).toBe('9');
    for (const [first, last] of [
      [0, 10],
      [9, 12],
      [10, 10],
      [5, 4],
      [-1, 3],
      [0.5, 2],
    ] as const) {
      const reading = store.read('parts/digits.txt', { range: { first, last } });
      await expect(reading).rejects.toMatchObject({ name: 'ObjectStoreError', kind: 'refused' });
    }
    const range = { first: 17 * MIB - 3, last: 17 * MIB + 2 };
    await store.put('parts/large.bin', bytesOf(20 * MIB));
    const { bytes } = await store.read('parts/large.bin', { range });
    const whole = Buffer.concat((await (await store.read('parts/large.bin')).bytes.toArray()) as Buffer[]);
    expect(Buffer.concat((await bytes.toArray()) as Buffer[])).toEqual(
      whole.subarray(range.first, range.last + 1),
    );
    await store.delete('parts/large.bin');
  });

  test('the size of an object is available without reading it', async () => {
    const { store } = current();
    await store.put('sized/empty.txt', []);
    await store.put('sized/some.txt', text('some'));
    expect([await store.size('sized/empty.txt'), await store.size('sized/some.txt')]).toEqual([0, 4]);
    await expect(store.size('sized/none.txt')).rejects.toMatchObject({ kind: 'absent' });
  });

  test('memory does not grow with the size of the object', async () => {
    const { store } = current();
    const size = 96 * MIB;
    // One part of an upload, and data in flight.
    const most = 40 * MIB;
    expect(await peakBytesOf(() => store.put('large.bin', bytesOf(size)))).toBeLessThan(most);
    const read = async () => summaryOf((await store.read('large.bin')).bytes);
    expect(await peakBytesOf(read)).toBeLessThan(most);
    await store.delete('large.bin');
  });

  test('a read is verified against what was written', async () => {
    const { store } = current();
    const stored = await store.put('checked.txt', text('as it was'));
    await store.put('checked.txt', text('as it is.'));
    const { bytes } = await store.read('checked.txt', { expect: stored });
    await expect(bytes.toArray()).rejects.toMatchObject({ name: 'ObjectStoreError', kind: 'damaged' });
    await store.put('checked.txt', text('shorter'));
    const shorter = await store.read('checked.txt', { expect: stored });
    await expect(shorter.bytes.toArray()).rejects.toMatchObject({ kind: 'damaged' });
  });

  test('the second put of a key replaces the first', async () => {
    const { store } = current();
    await store.put('replaced.txt', text('a long first'));
    await store.put('replaced.txt', text('second'));
    expect(await textOf(store, 'replaced.txt')).toBe('second');
    expect((await store.list('replaced')).objects).toMatchObject([
      { key: 'replaced.txt', size: 6, modifiedMs: expect.closeTo(Date.now(), -6) as number },
    ]);
  });

  test('an absent object is reported as absent', async () => {
    const { store } = current();
    await expect(store.read('nobody/put.it')).rejects.toMatchObject({
      name: 'ObjectStoreError',
      kind: 'absent',
    });
  });

  test('a delete can be repeated', async () => {
    const { store } = current();
    await store.put('deleted/twice.txt', text('x'));
    await store.put('deleted/large.bin', bytesOf(17 * MIB));
    for (const key of ['deleted/twice.txt', 'deleted/twice.txt', 'deleted/large.bin', 'deleted/large.bin']) {
      await store.delete(key);
    }
    await expect(store.read('deleted/twice.txt')).rejects.toMatchObject({ kind: 'absent' });
    expect((await store.list('deleted/')).objects).toEqual([]);
  });

  test.each(
    [
      ['', '/a.b', 'a.b/', '../a.b', 'a/../b.c', './a.b', 'a//b.c', 'a/.b', '.drafts/a.b', 'a/b', 'a.b/c.d'],
      [
        'A.b',
        'a b.c',
        'ä.b',
        'a\u0000.b',
        'a\n.b',
        'a.b\n',
        'a\\b.c',
        'a%2fb.c',
        '~.b',
        `${'a'.repeat(600)}.b`,
      ],
    ].flat(),
  )('the key %j is refused by every method', async (key) => {
    const { store } = current();
    for (const act of [
      () => store.put(key, text('x')),
      () => store.read(key),
      () => store.size(key),
      () => store.delete(key),
    ]) {
      await expect(act()).rejects.toMatchObject({ name: 'ObjectStoreError', kind: 'refused' });
    }
  });
}

function describeLists(current: () => Subject): void {
  test('a list is ordered by key, paged, and limited to a prefix', async () => {
    const { store } = current();
    const keys = ['a-b.x', 'a/b.x', 'a/b/c.x', 'a0.x', 'a_.x', 'aa/b.x', 'b.x', 'b.x.y'].map(
      (key) => `list/${key}`,
    );
    for (const key of keys.toReversed()) await store.put(key, text(key));
    const whole = await store.list('list/');
    expect(whole.objects).toMatchObject(keys.map((key) => ({ key, size: key.length })));
    expect(whole.next).toBeUndefined();
    const paged: string[] = [];
    for (let after: string | undefined, pages = 0; pages < 10; pages++) {
      const page = await store.list('list/', { limit: 3, after });
      paged.push(...page.objects.map(({ key }) => key));
      expect(page.objects.length).toBeLessThanOrEqual(3);
      after = page.next;
      if (after === undefined) break;
    }
    expect(paged).toEqual(keys);
    const startingWith = async (prefix: string) => (await store.list(prefix)).objects.map(({ key }) => key);
    expect(await startingWith('list/a/')).toEqual(['list/a/b.x', 'list/a/b/c.x']);
    expect(await startingWith('list/b')).toEqual(['list/b.x', 'list/b.x.y']);
    expect(await startingWith('list/b.x.')).toEqual(['list/b.x.y']);
    expect(await startingWith('lis')).toEqual(keys);
    expect(await startingWith('list/a/b/c/')).toEqual([]);
    expect(await startingWith('none/')).toEqual([]);
  });

  test('a list can go on after a key that is none of ours, which a bucket may contain', async () => {
    const { store } = current();
    for (const name of ['a', 'b', 'c']) await store.put(`foreign/${name}.txt`, text(name));
    const { objects } = await store.list('foreign/', { after: 'foreign/a.txt Copy (1)' });
    expect(objects.map(({ key }) => key)).toEqual(['foreign/b.txt', 'foreign/c.txt']);
  });

  test.each(['../', '/', 'a//', '.drafts', 'a/../', 'A', 'a\u0000'])(
    'the prefix %j is refused',
    async (prefix) => {
      await expect(current().store.list(prefix)).rejects.toMatchObject({ kind: 'refused' });
    },
  );

  test('the page size has a limit', async () => {
    for (const limit of [0, 1001, 1.5]) {
      await expect(current().store.list('', { limit })).rejects.toMatchObject({ kind: 'refused' });
    }
  });
}
