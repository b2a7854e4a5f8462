import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { ByteBudget } from '../../src/http/body/byte-budget.ts';
import { drain } from '../../src/http/body/drain-body.ts';
import { readBody } from '../../src/http/body/read-body.ts';
import { Slices } from '../../src/kernel/lib/slices.ts';

const readOptions = { maxBytes: 1000, announcedBytes: undefined, reserve: () => undefined, stallMs: 10_000 };

describe('reading a body', () => {
  test('returns its bytes, in whatever chunks they arrive', async () => {
    const sender = new PassThrough();
    const body = readBody(sender, { ...readOptions, announcedBytes: 900 });
    for (let n = 0; n < 9; n++) sender.write(Buffer.alloc(100, n));
    sender.end();
    const bytes = await body;
    expect(bytes).toHaveLength(900);
    expect([0, 1, 2, 3, 4, 5, 6, 7, 8].every((n) => bytes[n * 100 + 99] === n)).toBe(true);
  });

  test('refuses a body that is too large, by its announced length or its bytes', async () => {
    const announced = readBody(new PassThrough(), { ...readOptions, announcedBytes: 1001 });
    await expect(announced).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    const sender = new PassThrough();
    const sent = readBody(sender, readOptions);
    sender.write(Buffer.alloc(1001));
    await expect(sent).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
  });

  test('reserves the bytes received, not the bytes announced', async () => {
    const held: number[] = [];
    const sender = new PassThrough();
    const body = readBody(sender, {
      ...readOptions,
      announcedBytes: 1000,
      reserve: (bytes) => held.push(bytes),
    });
    sender.write('12345');
    sender.end('678');
    await body;
    expect(held).toEqual([5, 8]);
  });

  test('refuses a sender that stalls', async () => {
    const sender = new PassThrough();
    sender.write('{');
    const body = readBody(sender, { ...readOptions, announcedBytes: 1000, stallMs: 20 });
    await expect(body).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(sender.listenerCount('data')).toBe(0);
  });
});

describe('draining a body', () => {
  const drainLimits = { maxBytes: 1000, maxMs: 10_000, stallMs: 10_000 };

  test('ends with the body', async () => {
    const sender = new PassThrough();
    const drained = drain(sender, drainLimits);
    sender.write(Buffer.alloc(500));
    sender.end(Buffer.alloc(500));
    await drained;
    expect(sender.readableEnded).toBe(true);
  });

  test.each([
    ['too many bytes', { maxBytes: 9 }],
    ['too long a pause', { stallMs: 20 }],
    ['too long a time', { maxMs: 20 }],
  ])('ends after %s', async (_, limit) => {
    const sender = new PassThrough();
    const drained = drain(sender, { ...drainLimits, ...limit });
    sender.write(Buffer.alloc(10));
    await drained;
    expect(sender.listenerCount('data')).toBe(0);
  });

  test('ends when the client disconnects', async () => {
    const sender = new PassThrough();
    const drained = drain(sender, drainLimits);
    sender.destroy();
    await drained;
  });
});

describe('the byte budget', () => {
  const make = () => new ByteBudget({ totalBytes: 100, accountBytes: 40, smallBytes: 5 });

  test('refuses an account that exceeds its share, and no other', () => {
    const budget = make();
    budget.open('a').reserve(40);
    expect(() => budget.open('a').reserve(1)).toThrow(expect.objectContaining({ code: 'TOO_MANY_REQUESTS' }));
    budget.open('b').reserve(40);
  });

  test('refuses large requests when the total is used up, but not small ones', () => {
    const budget = make();
    for (const account of ['a', 'b']) budget.open(account).reserve(40);
    budget.open('c').reserve(20);
    expect(() => budget.open('d').reserve(6)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    budget.open('d').reserve(5);
  });

  test('is refunded once per request, which can then reserve no more', () => {
    const budget = make();
    const reservation = budget.open('a');
    reservation.reserve(40);
    reservation.release();
    reservation.release();
    expect(() => reservation.reserve(1)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    budget.open('a').reserve(40);
    expect(() => budget.open('a').reserve(1)).toThrow(expect.objectContaining({ code: 'TOO_MANY_REQUESTS' }));
  });
});

test('accounts take turns, with one slice per iteration of the event loop', async () => {
  const slices = new Slices();
  const order: string[] = [];
  const run = async (account: string, times: number) => {
    const slice = slices.start(account);
    for (let n = 0; n < times; n++) {
      await slice.next();
      order.push(account);
    }
  };
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([run('a', 2), run('a', 2), run('a', 2), run('b', 2)]);
  isDone = true;
  expect(order.slice(0, 4)).toEqual(['a', 'b', 'a', 'b']);
  expect(turns).toBeGreaterThanOrEqual(7);
});
