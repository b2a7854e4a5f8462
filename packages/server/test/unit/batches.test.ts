import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type BatchGroups, type BatchOptions, createBatcher } from '../../src/kernel/lib/batches.ts';

/** Doubles numbers in batches that the test ends. */
function doubler(
  options: Omit<BatchOptions, 'maxWaiting'> & { maxWaiting?: number },
  groups?: BatchGroups<number>,
) {
  const batches: { inputs: number[]; end: (error?: Error) => void }[] = [];
  const ask = createBatcher<number, number>(
    { maxWaiting: 1000, ...options },
    (inputs) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(inputs.map((input) => 2 * input)));
        batches.push({ inputs, end });
      }),
    groups,
  );
  /** Ends a batch, and lets the next one start. */
  const end = async (place: number, error?: Error) => {
    batches.at(place)?.end(error);
    await nextTurn();
  };
  return { ask, batches, end, inputs: () => batches.map((batch) => batch.inputs) };
}

test('calls made in one tick share a batch, and each gets its own result', async () => {
  const { ask, batches, inputs } = doubler({ maxInFlight: 2, maxSize: 10 });
  const answers = [1, 2, 3].map((input) => ask(input));
  await nextTurn();
  expect(inputs()).toEqual([[1, 2, 3]]);
  batches[0]?.end();
  expect(await Promise.all(answers)).toEqual([2, 4, 6]);
});

test('while all batches are running, further calls wait and then share batches up to the maximum size', async () => {
  const { ask, batches, end, inputs } = doubler({ maxInFlight: 2, maxSize: 3 });
  const answers: Promise<number>[] = [];
  for (const input of [1, 2, 3, 4, 5, 6]) {
    answers.push(ask(input));
    await nextTurn();
  }
  expect(inputs()).toEqual([[1], [2]]);
  await end(1);
  expect(inputs()).toEqual([[1], [2], [3, 4, 5]]);
  await end(0);
  expect(inputs()).toEqual([[1], [2], [3, 4, 5], [6]]);
  for (const batch of batches) batch.end();
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10, 12]);
});

test('many calls in one tick start as many batches as needed, up to the maximum', async () => {
  const { ask, batches, inputs } = doubler({ maxInFlight: 2, maxSize: 2 });
  const answers = [1, 2, 3, 4, 5].map((input) => ask(input));
  await nextTurn();
  expect(inputs()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  for (const { end } of batches) end();
  await nextTurn();
  expect(inputs().at(-1)).toEqual([5]);
  batches.at(-1)?.end();
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10]);
});

test('a failed batch fails only its own calls', async () => {
  const { ask, batches } = doubler({ maxInFlight: 1, maxSize: 2 });
  const answers = [1, 2, 3].map((input) => ask(input));
  await nextTurn();
  batches[0]?.end(new Error('away'));
  await expect(answers[0]).rejects.toThrow('away');
  await expect(answers[1]).rejects.toThrow('away');
  await nextTurn();
  batches[1]?.end();
  expect(await answers[2]).toBe(6);
});

describe('a caller that has given up', () => {
  test('is dropped before a batch is formed, so that later callers are served at once', async () => {
    const { ask, batches, end, inputs } = doubler({ maxInFlight: 1, maxSize: 2 });
    const now = performance.now();
    const stalled = ask(1);
    await nextTurn();
    const abandoned = [2, 3, 4, 5, 6, 7].map((input) => ask(input, now - 1));
    const abandonedEnds = Promise.allSettled(abandoned);
    const live = [8, 9].map((input) => ask(input, now + 60_000));
    await end(0);
    expect(inputs()).toEqual([[1], [8, 9]]);
    batches[1]?.end();
    expect(await stalled).toBe(2);
    expect(await Promise.all(live)).toEqual([16, 18]);
    for (const end of await abandonedEnds)
      expect(end).toMatchObject({ status: 'rejected', reason: { name: 'DeadlineExceededError' } });
  });

  test('makes room for others when the queue is full', async () => {
    const { ask, batches, end, inputs } = doubler({ maxInFlight: 1, maxSize: 10, maxWaiting: 2 });
    const now = performance.now();
    const first = ask(1);
    await nextTurn();
    const gone = ask(2, now - 1).catch((error: unknown) => (error as Error).name);
    const waits = ask(3, now + 60_000);
    const takesItsPlace = ask(4, now + 60_000);
    expect(await gone).toBe('DeadlineExceededError');
    await expect(ask(5, now + 60_000)).rejects.toMatchObject({ name: 'DeadlineExceededError' });
    await end(0);
    expect(inputs()).toEqual([[1], [3, 4]]);
    batches[1]?.end();
    expect(await Promise.all([first, waits, takesItsPlace])).toEqual([2, 6, 8]);
  });
});

test('a batch is formed only when the limiter lets it run', async () => {
  const runs: (() => void)[] = [];
  const limiter = (run: () => Promise<void>) =>
    new Promise<void>((resolve) => runs.push(() => void run().then(resolve)));
  const { ask, batches, inputs } = doubler({ maxInFlight: 1, maxSize: 10, limiter });
  const one = ask(1);
  await nextTurn();
  const two = ask(2);
  runs[0]?.();
  await nextTurn();
  expect(inputs()).toEqual([[1, 2]]);
  batches[0]?.end();
  expect(await Promise.all([one, two])).toEqual([2, 4]);
});

describe('batches of several groups', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const slowMs = 20;
  /** Tens are groups. */
  const byTens = { of: (input: number) => Math.floor(input / 10), maxInFlight: 1, slowMs };
  const makeSlow = async () => {
    vi.advanceTimersByTime(slowMs);
    await nextTurn();
  };

  test('calls of different groups share a batch', async () => {
    const { ask, batches, inputs } = doubler({ maxInFlight: 1, maxSize: 10 }, byTens);
    const answers = [11, 21, 31].map((input) => ask(input));
    await nextTurn();
    expect(inputs()).toEqual([[11, 21, 31]]);
    batches[0]?.end();
    expect(await Promise.all(answers)).toEqual([22, 42, 62]);
  });

  test('only its own groups wait for a slow batch, and they go on when it ends', async () => {
    const { ask, batches, end, inputs } = doubler({ maxInFlight: 1, maxSize: 10 }, byTens);
    const answers = [ask(11)];
    await nextTurn();
    answers.push(ask(12), ask(21));
    await nextTurn();
    expect(inputs()).toEqual([[11]]);
    await makeSlow();
    expect(inputs()).toEqual([[11], [21]]);
    await end(1);
    expect(inputs()).toEqual([[11], [21]]);
    // One turn for the batch to end, one for the next to start.
    await end(0);
    await nextTurn();
    expect(inputs()).toEqual([[11], [21], [12]]);
    batches[2]?.end();
    expect(await Promise.all(answers)).toEqual([22, 24, 42]);
  });

  test('a slow batch that ends leaves no room for one more than allowed', async () => {
    const { ask, batches, end, inputs } = doubler({ maxInFlight: 1, maxSize: 1 }, byTens);
    const answers = [11, 21, 31].map((input) => ask(input));
    await nextTurn();
    await makeSlow();
    expect(inputs()).toEqual([[11], [21]]);
    await end(0);
    expect(inputs()).toEqual([[11], [21]]);
    await end(1);
    expect(inputs()).toEqual([[11], [21], [31]]);
    batches[2]?.end();
    expect(await Promise.all(answers)).toEqual([22, 42, 62]);
  });

  test('groups of a slow batch go on, each on its own, because one of them may have made it slow', async () => {
    const { ask, batches, end, inputs } = doubler({ maxInFlight: 1, maxSize: 10 }, byTens);
    const answers = [11, 21].map((input) => ask(input));
    await nextTurn();
    await makeSlow();
    for (const input of [12, 22, 31, 41, 13]) answers.push(ask(input));
    await nextTurn();
    expect(inputs()).toEqual([
      [11, 21],
      [12, 13],
    ]);
    await end(1);
    expect(inputs().at(-1)).toEqual([22]);
    await end(2);
    expect(inputs().at(-1)).toEqual([31, 41]);
    for (const batch of batches) batch.end();
    expect(await Promise.all(answers)).toEqual([22, 42, 24, 44, 62, 82, 26]);
    const together = [14, 23].map((input) => ask(input));
    await nextTurn();
    expect(inputs().at(-1)).toEqual([14, 23]);
    batches.at(-1)?.end();
    await Promise.all(together);
  });

  test('a group takes part in no more batches than allowed', async () => {
    const { ask, batches, end, inputs } = doubler(
      { maxInFlight: 3, maxSize: 1 },
      { ...byTens, maxInFlight: 2 },
    );
    const answers = [11, 12, 13].map((input) => ask(input));
    await nextTurn();
    expect(inputs()).toEqual([[11], [12]]);
    await end(0);
    expect(inputs()).toEqual([[11], [12], [13]]);
    for (const batch of batches.slice(1)) batch.end();
    expect(await Promise.all(answers)).toEqual([22, 24, 26]);
  });
});
