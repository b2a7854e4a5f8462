import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bytesOf, summaryOf, text, textOf } from './objects-bytes.ts';
import type { Subject } from './objects-subjects.ts';

// More than one part of an upload, so that some of it was sent when the failure occurs.
const LARGE = 20_000_000;

/** A put is atomic, whatever happens. */
export function describeWholeness(current: () => Subject): void {
  const expectNothingOf = async (key: string) => {
    const { store, leftovers } = current();
    await expect(store.read(key)).rejects.toMatchObject({ kind: 'absent' });
    expect((await store.list(key)).objects).toEqual([]);
    expect(await leftovers()).toEqual([]);
  };

  describe.each([0, 1, LARGE])('after %i bytes', (size) => {
    test('a source that throws leaves no object, and its error is thrown', async () => {
      const problem = new Error('on purpose');
      async function* broken() {
        yield* bytesOf(size);
        throw problem;
      }
      await expect(current().store.put('broken/new.bin', broken())).rejects.toBe(problem);
      await expectNothingOf('broken/new.bin');
    });

    test('an aborted put leaves no object, and closes its source', async () => {
      const controller = new AbortController();
      const reason = new Error('enough');
      let isTold = false;
      async function* cancelled() {
        try {
          yield* bytesOf(size);
          controller.abort(reason);
          yield* bytesOf(1);
        } finally {
          isTold = true;
        }
      }
      const { signal } = controller;
      await expect(current().store.put('aborted/new.bin', cancelled(), { signal })).rejects.toBe(reason);
      expect(isTold).toBe(true);
      await expectNothingOf('aborted/new.bin');
    });

    test('a put whose source hangs ends when it is aborted', async () => {
      const controller = new AbortController();
      const reason = new Error('enough');
      async function* hanging() {
        yield* bytesOf(size);
        setTimeout(() => controller.abort(reason), 50);
        await new Promise(() => undefined);
      }
      const { signal } = controller;
      await expect(current().store.put('hanging/new.bin', hanging(), { signal })).rejects.toBe(reason);
      await expectNothingOf('hanging/new.bin');
    });
  });

  test('the previous object remains when a put fails', async () => {
    const { store, leftovers } = current();
    await store.put('kept.txt', text('before'));
    async function* broken() {
      yield* bytesOf(LARGE);
      throw new Error('on purpose');
    }
    await expect(store.put('kept.txt', broken())).rejects.toThrow('on purpose');
    expect(await textOf(store, 'kept.txt')).toBe('before');
    expect(await leftovers()).toEqual([]);
  });

  test('a signal that is already aborted prevents every call', async () => {
    const { store } = current();
    await store.put('aborted/there.txt', text('x'));
    const signal = AbortSignal.abort(new Error('too late'));
    for (const act of [
      () => store.put('aborted/other.txt', text('y'), { signal }),
      () => store.read('aborted/there.txt', { signal }),
      () => store.delete('aborted/there.txt', { signal }),
      () => store.list('aborted/', { signal }),
    ]) {
      await expect(act()).rejects.toThrow('too late');
    }
    expect((await store.list('aborted/')).objects).toMatchObject([{ key: 'aborted/there.txt', size: 1 }]);
  });

  test('an aborted read ends, whether it has begun or not', async () => {
    const { store } = current();
    await store.put('aborted/read.bin', bytesOf(LARGE));
    for (const isBegun of [false, true]) {
      const controller = new AbortController();
      const { bytes } = await store.read('aborted/read.bin', { signal: controller.signal });
      const reading = isBegun ? bytes[Symbol.asyncIterator]() : undefined;
      await reading?.next();
      controller.abort(new Error('enough'));
      await expect(bytes.toArray()).rejects.toThrow('enough');
      expect(bytes.destroyed).toBe(true);
    }
  });

  test('concurrent puts of a key leave one of the objects, complete, and readers see only complete ones', async () => {
    const { store, leftovers } = current();
    const seeds = [1, 2, 3, 4];
    const summaries = await Promise.all(seeds.map((seed) => summaryOf(bytesOf(LARGE, seed))));
    await store.put('raced.bin', bytesOf(LARGE, 1));
    let isOver = false;
    let count = 0;
    const watch = async () => {
      while (!isOver) {
        // A read may fail or stall when another put replaces the object, but never ends early without an error.
        const seen = await store
          .read('raced.bin', { signal: AbortSignal.timeout(15_000) })
          .then(({ bytes }) => summaryOf(bytes))
          .catch(() => undefined);
        if (seen) expect(summaries).toContainEqual(seen);
        count += seen ? 1 : 0;
        await sleep(5);
      }
    };
    const watching = watch();
    const putting = Promise.all(seeds.map((seed) => store.put('raced.bin', bytesOf(LARGE, seed))));
    const stored = await putting.finally(() => {
      isOver = true;
    });
    await watching;
    expect(count).toBeGreaterThan(0);
    expect(stored).toEqual(summaries);
    expect(summaries).toContainEqual(await summaryOf((await store.read('raced.bin')).bytes));
    expect(await leftovers()).toEqual([]);
  });
}
