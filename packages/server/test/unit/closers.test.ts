import { describe, expect, test } from 'vitest';
import { Closers } from '../../src/kernel/lib/closers.ts';
import { DeadlineExceededError, within } from '../../src/kernel/lib/within.ts';

const never = () => new Promise<never>(() => undefined);

describe('Closers', () => {
  test('run in reverse order, one at a time', async () => {
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

  test('continue after one that hangs, fails or throws, and report its name', async () => {
    const closed: string[] = [];
    const errors: [string, unknown][] = [];
    const closers = new Closers((name, error) => errors.push([name, error]));
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
      ['throws', new Error('at once')],
      ['fails', new Error('no')],
      ['hangs', expect.any(DeadlineExceededError)],
    ]);
  });

  test('run only once', async () => {
    let closed = 0;
    const closers = new Closers(() => undefined);
    closers.add('once', 1000, async () => ++closed);
    await Promise.all([closers.closeAll(), closers.closeAll()]);
    await closers.closeAll();
    expect(closed).toBe(1);
  });
});

describe('within', () => {
  test('returns the result or the error of the work', async () => {
    await expect(within(1000, Promise.resolve(7))).resolves.toBe(7);
    await expect(within(1000, Promise.reject(new Error('bad')))).rejects.toThrow('bad');
  });

  test('throws DeadlineExceededError when the work takes too long', async () => {
    await expect(within(10, never())).rejects.toThrow(DeadlineExceededError);
  });
});
