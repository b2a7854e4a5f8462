import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Slices } from '../../src/kernel/lib/slices.ts';

/** Uses up the given number of slices. */
function busySlices(count: number, onSlice: () => void = () => undefined) {
  let left = count;
  return (endMs: number) => {
    while (performance.now() < endMs);
    onSlice();
    return --left <= 0;
  };
}

describe('sliced work', () => {
  test('lets the event loop continue after each slice, however much work is queued', async () => {
    const slices = new Slices();
    let sinceIteration = 0;
    let most = 0;
    const progress = { isDone: false };
    const all = Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        slices.run(
          `tenant ${n % 3}`,
          busySlices(5, () => {
            most = Math.max(most, ++sinceIteration);
          }),
        ),
      ),
    ).then(() => {
      progress.isDone = true;
    });
    while (!progress.isDone) {
      await nextIteration();
      sinceIteration = 0;
    }
    await all;
    expect(most).toBeLessThanOrEqual(2);
  });

  test('is fair between tenants: one with much work delays another by one slice per round', async () => {
    const slices = new Slices();
    const order: string[] = [];
    const note = (tenant: string) => busySlices(10, () => order.push(tenant));
    const greedy = Array.from({ length: 10 }, () => slices.run('greedy', note('greedy')));
    await slices.run('modest', note('modest'));
    // The greedy tenant had a hundred slices of work and came first.
    expect(order.filter((tenant) => tenant === 'greedy').length).toBeLessThanOrEqual(12);
    await Promise.all(greedy);
    expect(order).toHaveLength(110);
  });

  test('runs short work at once, and long lists element by element', async () => {
    const slices = new Slices();
    let isDone = false;
    const running = slices.run('tenant', () => {
      isDone = true;
      return true;
    });
    expect(isDone).toBe(true);
    await running;
    const taken: number[] = [];
    await slices.forEach('tenant', [1, 2, 3], (one) => taken.push(one));
    expect(taken).toEqual([1, 2, 3]);
  });

  test('fails without affecting other work', async () => {
    const slices = new Slices();
    const failing = (): never => {
      throw new Error('no');
    };
    const others = [slices.run('a', busySlices(3)), slices.run('b', busySlices(3))];
    await expect(slices.run('a', failing)).rejects.toThrow('no');
    await Promise.all(others);
  });
});
