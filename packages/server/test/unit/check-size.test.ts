import { algorithmOf } from '@tastegraph/algorithms';
import { describe, expect, test } from 'vitest';
import { isOutOfMemory } from '../../src/jobs/engine/job-error.ts';
import { findProblems } from '../../src/training/check/findings.ts';
import { checkSize, explainMemory } from '../../src/training/judge.ts';

/** The error that a function throws. */
const thrown = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

const g1 = algorithmOf('G1');
const check = (neighbors: number | undefined, items: number) =>
  checkSize(g1, { neighbors }, { events: 1, users: 1000, items });

declare const WebAssembly: {
  readonly Memory: new (limits: object) => { grow(pages: number): void };
};

describe('a training that does not fit', () => {
  test('is refused at once if no amount of memory would suffice, with numbers and advice', () => {
    for (const [neighbors, items] of [
      [1000, 1_100_000],
      [undefined, 11_000_000],
      // Too many for a kernel, whatever the neighbors.
      [10, 40_000_000],
    ] as const)
      expect(() => check(neighbors, items)).toThrow(
        expect.objectContaining({ name: 'JobError', code: 'MODEL_TOO_LARGE' }) as Error,
      );
    const { message } = thrown(() => check(1000, 1_100_000)) as Error;
    expect(message).toMatch(/\b1,000\b.*\b1,100,000\b.*\b976\b/s);
    for (const [neighbors, items] of [
      [976, 1_100_000],
      [1000, 30_000],
      [undefined, 10_000_000],
      [35, 30_000_000],
    ] as const)
      expect(thrown(() => check(neighbors, items))).toBeUndefined();
  });

  test.each([
    [
      'a kernel beyond 4 GiB',
      new RangeError('A kernel would need 4400000000 bytes of memory, and reaches 4 GiB'),
    ],
    [
      'a memory that cannot grow',
      thrown(() => new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true }).grow(9)),
    ],
    ['an array that is too long', thrown(() => new Float64Array(2 ** 52))],
    ['a buffer that cannot be had', thrown(() => new SharedArrayBuffer(2 ** 52))],
    ['a heap that is full', Object.assign(new Error('x'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })],
  ])('is recognized by %s', (_, error) => {
    expect(error).toBeInstanceOf(Error);
    expect(isOutOfMemory(error)).toBe(true);
    expect(explainMemory(error, g1, {}, { events: 1, users: 1000, items: 2_000_000 })).toMatchObject({
      name: 'JobError',
      code: 'OUT_OF_MEMORY',
    });
  });

  test('because a kernel cannot address enough says how many events would', () => {
    const error = new RangeError('A kernel would need 4400000000 bytes of memory, and reaches 4 GiB');
    const large = { events: 500_000_000, users: 1_000_000, items: 100_000 };
    expect(explainMemory(error, g1, {}, large)).toMatchObject({
      name: 'JobError',
      code: 'MODEL_TOO_LARGE',
      message: expect.stringMatching(/\b500,000,000\b.*\b398,103,184\b/s) as string,
    });
  });

  test('is not confused with other errors', () => {
    const other = new RangeError('Invalid time value');
    expect(isOutOfMemory(other)).toBe(false);
    expect(explainMemory(other, g1, {}, { events: 1, users: 10, items: 10 })).toBe(other);
  });

  test('is reported beforehand by the training check', () => {
    const found = (neighbors: number, events = 0) => {
      const survey = {
        events,
        users: 1000,
        items: 1_100_000,
        eventTypes: [],
        attributes: [],
        notChecked: ['events'],
        future_events: 0,
      };
      const problems = findProblems(
        { ...survey, userRecords: 1000, itemRecords: 1_100_000 } as unknown as Parameters<
          typeof findProblems
        >[0],
        g1,
        { neighbors },
      );
      return problems.map(({ code }) => code);
    };
    expect(found(1000)).toContain('MODEL_TOO_LARGE');
    expect(found(500)).not.toContain('MODEL_TOO_LARGE');
    expect(found(500, 300_000_000)).not.toContain('TOO_MANY_EVENTS');
    expect(found(500, 400_000_000)).toContain('TOO_MANY_EVENTS');
    // Too many for the kernel, and too slow to read.
    expect(found(500, 1_000_000_000).filter((code) => code === 'TOO_MANY_EVENTS')).toHaveLength(2);
  });
});
