import { describe, expect, test } from 'vitest';
import { Closers } from '../../src/lib/closers.ts';
import { createTurns } from '../../src/lib/turns.ts';
import { within } from '../../src/lib/within.ts';

const never = () => new Promise<never>(() => undefined);

describe('Closers', () => {
  test('close in reverse, one after the other', async () => {
    const log: string[] = [];
    const closers = new Closers(() => log.push('error'));
    for (const name of ['first', 'second', 'third']) {
      closers.add(name, 1000, async () => {
        log.push(`${name} begins`);
        await new Promise(setImmediate);
        log.push(`${name} ends`);
      });
    }
    await closers.closeAll();
    expect(log).toEqual([
      'third begins',
      'third ends',
      'second begins',
      'second ends',
      'first begins',
      'first ends',
    ]);
  });

  test('go on past one that hangs, fails or throws, and say which it was', async () => {
    const closed: string[] = [];
    const errors: [string, string][] = [];
    const closers = new Closers((name, error) => errors.push([name, (error as Error).message]));
    closers.add('last', 1000, async () => closed.push('last'));
    closers.add('hangs', 20, never);
    closers.add('fails', 1000, async () => Promise.reject(new Error('no')));
    closers.add('throws', 1000, () => {
      throw new Error('at once');
    });
    closers.add('first', 1000, async () => closed.push('first'));
    await closers.closeAll();
    expect(closed).toEqual(['first', 'last']);
    expect(errors).toEqual([
      ['throws', 'at once'],
      ['fails', 'no'],
      ['hangs', 'not done within 20 ms'],
    ]);
  });

  test('close each thing once', async () => {
    let closed = 0;
    const closers = new Closers(() => undefined);
    closers.add('once', 1000, async () => ++closed);
    await Promise.all([closers.closeAll(), closers.closeAll()]);
    await closers.closeAll();
    expect(closed).toBe(1);
  });
});

describe('within', () => {
  test('answers what the work comes to, good or bad', async () => {
    await expect(within(1000, Promise.resolve(7))).resolves.toBe(7);
    await expect(within(1000, Promise.reject(new Error('bad')))).rejects.toThrow('bad');
  });

  test('answers an error when it takes too long', async () => {
    await expect(within(10, never())).rejects.toThrow('not done within 10 ms');
  });
});

describe('createTurns', () => {
  test('runs so many at once, and the rest in their order, also when some fail', async () => {
    const inTurn = createTurns(2);
    const began: number[] = [];
    let running = 0;
    let most = 0;
    const works = Array.from({ length: 6 }, (_, n) =>
      inTurn(async () => {
        began.push(n);
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        if (n === 1) throw new Error('one fails');
        return n;
      }),
    );
    const ended = await Promise.allSettled(works);
    expect(ended.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      ...new Array<string>(4).fill('fulfilled'),
    ]);
    expect(began).toEqual([0, 1, 2, 3, 4, 5]);
    expect(most).toBe(2);
    expect(await inTurn(async () => 'after all')).toBe('after all');
  });
});
