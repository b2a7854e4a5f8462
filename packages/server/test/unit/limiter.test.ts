import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLimiter } from '../../src/kernel/lib/limiter.ts';

/** Work that the test ends, and a list of what was started. */
function workers() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      ends.set(name, () => resolve(name));
    });
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}

test('at most `concurrency` calls run at a time, and the others follow in order', async () => {
  const limit = createLimiter({ concurrency: 2, maxWaiting: 10 });
  const { begun, work, end } = workers();
  const all = ['a', 'b', 'c', 'd'].map((name) => limit(work(name)));
  expect(begun).toEqual(['a', 'b']);
  end('b');
  await nextTurn();
  expect(begun).toEqual(['a', 'b', 'c']);
  end('a');
  await nextTurn();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  end('c');
  end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

test('work whose caller has given up is not started', async () => {
  const limit = createLimiter({ concurrency: 1, maxWaiting: 10 });
  const { begun, work, end } = workers();
  const now = performance.now();
  const first = limit(work('first'));
  const gone = ['x', 'y', 'z'].map((name) =>
    limit(work(name), { endMs: now - 1 }).catch((error: unknown) => (error as Error).name),
  );
  const live = limit(work('live'), { endMs: now + 60_000 });
  end('first');
  await nextTurn();
  expect(begun).toEqual(['first', 'live']);
  end('live');
  expect(await Promise.all(gone)).toEqual([
    'DeadlineExceededError',
    'DeadlineExceededError',
    'DeadlineExceededError',
  ]);
  expect(await Promise.all([first, live])).toEqual(['first', 'live']);
});

test('calls that have given up make room for others', async () => {
  const limit = createLimiter({ concurrency: 1, maxWaiting: 1 });
  const { begun, work, end } = workers();
  const first = limit(work('first'));
  const gone = limit(work('gone'), { endMs: performance.now() - 1 });
  const live = limit(work('live'));
  await expect(gone).rejects.toMatchObject({ name: 'DeadlineExceededError' });
  end('first');
  await nextTurn();
  end('live');
  expect(await Promise.all([first, live])).toEqual(['first', 'live']);
  expect(begun).toEqual(['first', 'live']);
});

test('the queue is bounded, and failed work frees its slot', async () => {
  const limit = createLimiter({ concurrency: 1, maxWaiting: 1 });
  const failing = limit(async () => {
    await nextTurn();
    throw new Error('away');
  });
  const next = limit(async () => 'served');
  await expect(limit(async () => 'too many')).rejects.toMatchObject({ name: 'DeadlineExceededError' });
  await expect(failing).rejects.toThrow('away');
  expect(await next).toBe('served');
  expect(await limit(async () => 'later')).toBe('later');
});
