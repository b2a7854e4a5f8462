import { expect, test } from 'vitest';
import { FairCache } from '../../src/kernel/lib/fair-cache.ts';

const held = (cache: FairCache<number>, accountId: string, count: number) =>
  Array.from({ length: count }, (_, n) => n).filter((n) => cache.get(accountId, `${n}`) !== undefined);

test('an account that fills the cache evicts its own entries, and none of the others', () => {
  const cache = new FairCache<number>({ maxSize: 10 });
  for (let n = 0; n < 5; n++) cache.set('quiet', `${n}`, n);
  for (let n = 0; n < 1000; n++) cache.set('greedy', `${n}`, n);
  expect(held(cache, 'quiet', 5)).toEqual([0, 1, 2, 3, 4]);
  expect(held(cache, 'greedy', 1000)).toEqual([995, 996, 997, 998, 999]);
});

test('an account evicts its least recently used entry', () => {
  const cache = new FairCache<number>({ maxSize: 4 });
  cache.set('one', '0', 0);
  cache.set('one', '1', 1);
  cache.get('one', '0');
  cache.set('one', '2', 2);
  expect(held(cache, 'one', 3)).toEqual([0, 2]);
});

test('all accounts together stay within the size, and the least recently used entry goes first', () => {
  const cache = new FairCache<number>({ maxSize: 100, sizeOf: (value) => value });
  for (let n = 0; n < 10; n++) cache.set(`account ${n}`, 'entry', 30);
  const left = Array.from({ length: 10 }, (_, n) => cache.get(`account ${n}`, 'entry'));
  expect(left.filter((value) => value !== undefined)).toHaveLength(3);
  expect(left.slice(7)).toEqual([30, 30, 30]);
});

test('an entry that is set again, deleted or too large does not count', () => {
  const cache = new FairCache<number>({ maxSize: 100, sizeOf: (value) => value });
  for (let n = 0; n < 10; n++) cache.set('one', 'same', 40);
  cache.set('one', 'small', 10);
  expect([cache.get('one', 'same'), cache.get('one', 'small')]).toEqual([40, 10]);
  cache.delete('one', 'same');
  cache.set('one', 'next', 40);
  expect([cache.get('one', 'same'), cache.get('one', 'small'), cache.get('one', 'next')]).toEqual([
    undefined,
    10,
    40,
  ]);
  cache.set('one', 'next', 51);
  expect(cache.get('one', 'next')).toBeUndefined();
});

test('accounts do not see each other', () => {
  const cache = new FairCache<number>({ maxSize: 10 });
  cache.set('one', 'key', 1);
  expect(cache.get('other', 'key')).toBeUndefined();
});
