import { expect, test } from 'vitest';
import { ThreadPool } from '../../src/kernel/lib/thread-pool.ts';

const task = new URL('./thread-task.ts', import.meta.url);
const run = (pool: ThreadPool, key: string, input: object) =>
  pool.run<string>(task, input, { key, transfer: [] });

test('a key that uses its share leaves a thread to others, and its further calls are refused', async () => {
  const pool = new ThreadPool({
    concurrency: 2,
    maxPerKey: 1,
    maxWaiting: 10,
    maxWaitingPerKey: 2,
    refuse: (reason) => new Error(reason),
  });
  const ended: string[] = [];
  const note = (name: string) => (result: string) => ended.push(`${name} ${result}`);
  const flood = [300, 300, 300].map((ms) => run(pool, 'flood', { ms }).then(note('flood')));
  await expect(run(pool, 'flood', { ms: 0 })).rejects.toThrow('own');
  await run(pool, 'other', { ms: 0 }).then(note('other'));
  expect(ended.filter((one) => one.startsWith('flood')).length).toBeLessThan(2);
  await Promise.all(flood);
  expect(ended).toHaveLength(4);
});

test('a thread that ends fails its call alone', async () => {
  const pool = new ThreadPool({ concurrency: 1, maxWaiting: 10 });
  await expect(run(pool, '', { throws: 'wrong' })).rejects.toThrow('wrong');
  await expect(run(pool, '', { exits: true })).rejects.toThrow('ended without a result');
  expect(await run(pool, '', { ms: 0 })).toBe('done');
});
