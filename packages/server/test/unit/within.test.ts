import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeadlineExceededError, within } from '../../src/kernel/lib/within.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => undefined);

test('work that is done in time returns its result or error, and leaves no timer', async () => {
  await expect(within(1000, Promise.resolve('done'))).resolves.toBe('done');
  await expect(within(1000, Promise.reject(new RangeError()))).rejects.toBeInstanceOf(RangeError);
  expect(vi.getTimerCount()).toBe(0);
});

test('work that takes too long throws DeadlineExceededError, and its later error is ignored', async () => {
  const late = Promise.withResolvers<never>();
  const waiting = expect(within(50, late.promise)).rejects.toBeInstanceOf(DeadlineExceededError);
  await vi.advanceTimersByTimeAsync(50);
  await waiting;
  late.reject(new Error('late'));
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('with no time left, only work that is already done succeeds', async () => {
  await expect(within(0, Promise.resolve('done'))).resolves.toBe('done');
  const waiting = expect(within(-5, never)).rejects.toBeInstanceOf(DeadlineExceededError);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
});
