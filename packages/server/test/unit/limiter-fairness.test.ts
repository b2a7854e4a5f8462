import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/http/api-error.ts';
import { createLimiter, type Limiter, type LimiterOptions } from '../../src/kernel/lib/limiter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

let shed: number;
let limiter: Limiter;
/** One key may have three of four slots. */
function admit(options: Partial<LimiterOptions> & { concurrency: number; maxWaiting: number }): void {
  shed = 0;
  limiter = createLimiter({
    maxPerKey: Math.max(1, Math.floor(options.concurrency * 0.75)),
    waitMs: 50,
    refuse: (reason) => {
      shed++;
      return new ApiError(reason === 'own' ? 'TOO_MANY_REQUESTS' : 'UNAVAILABLE', reason);
    },
    ...options,
  });
}

interface Call {
  state: 'waiting' | 'in work' | 'answered' | ApiError;
  end(how?: Error): Promise<void>;
}

/** A call that runs until the test ends it. */
async function call(project: string, onHangUp?: (drop: () => void) => void): Promise<Call> {
  const work = Promise.withResolvers<undefined>();
  const one: Call = {
    state: 'waiting',
    async end(how) {
      if (how) work.reject(how);
      else work.resolve(undefined);
      await settle();
    },
  };
  const run = () => {
    one.state = 'in work';
    return work.promise;
  };
  limiter(run, { key: project, onHangUp }).then(
    () => (one.state = 'answered'),
    (error: unknown) => {
      if (error instanceof ApiError) one.state = error;
    },
  );
  await settle();
  return one;
}

async function calls(count: number, project: string): Promise<Call[]> {
  const all: Call[] = [];
  for (let n = 0; n < count; n++) all.push(await call(project));
  return all;
}

const settle = () => vi.advanceTimersByTimeAsync(0);
const inWork = (all: readonly Call[]) => all.filter(({ state }) => state === 'in work').length;
const wasShed = ({ state }: Call) => state instanceof ApiError;

describe('calls', () => {
  test('beyond the concurrency wait, the oldest first, and calls beyond the queue are refused at once', async () => {
    admit({ concurrency: 4, maxWaiting: 2 });
    const all = await calls(7, 'one');
    expect(all.map(({ state }) => (state instanceof ApiError ? state.code : state))).toEqual([
      ...Array<string>(3).fill('in work'),
      ...Array<string>(2).fill('waiting'),
      ...Array<string>(2).fill('TOO_MANY_REQUESTS'),
    ]);
    expect(shed).toBe(2);
    await all[1]?.end();
    expect(all[1]?.state).toBe('answered');
    expect(all[3]?.state).toBe('in work');
    expect(all[4]?.state).toBe('waiting');
  });

  test('are refused after the maximum wait', async () => {
    admit({ concurrency: 1, maxWaiting: 10 });
    const first = await call('one');
    const second = await call('one');
    await vi.advanceTimersByTimeAsync(49);
    expect(second.state).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1);
    expect(wasShed(second)).toBe(true);
    await first.end();
    expect((await call('one')).state).toBe('in work');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that fail free their slot', async () => {
    admit({ concurrency: 1, maxWaiting: 0 });
    for (let n = 0; n < 10; n++) {
      const one = await call('one');
      expect(one.state).toBe('in work');
      await one.end(new Error('failed'));
    }
  });
});

describe('a project that floods', () => {
  test('leaves slots for the first calls of another', async () => {
    admit({ concurrency: 8, maxWaiting: 10 });
    const flood = await calls(100, 'flood');
    expect(inWork(flood)).toBe(6);
    expect(inWork(await calls(2, 'other'))).toBe(2);
  });

  test('gets a slot after projects with fewer calls in flight', async () => {
    admit({ concurrency: 4, maxWaiting: 10 });
    const flood = await calls(6, 'flood');
    const other = await calls(3, 'other');
    const third = await call('third');
    expect([inWork(flood), inWork(other), third.state]).toEqual([3, 1, 'waiting']);
    await flood[0]?.end();
    expect(third.state).toBe('in work');
    await third.end();
    expect([inWork(flood), inWork(other)]).toEqual([2, 2]);
    // Among equals, the one that has waited the longest.
    await flood[1]?.end();
    await other[0]?.end();
    expect([inWork(flood), inWork(other)]).toEqual([2, 2]);
  });

  test('has its own calls refused when the queue is full', async () => {
    admit({ concurrency: 2, maxWaiting: 4 });
    const flood = await calls(5, 'flood');
    const [first, ...waiting] = await calls(3, 'other');
    expect(first?.state).toBe('in work');
    expect(waiting.map(({ state }) => state)).toEqual(['waiting', 'waiting']);
    // Its latest calls are refused, and only until both keys have the same number.
    expect(flood.map(wasShed)).toEqual([false, false, false, true, true]);
    expect(wasShed(await call('other'))).toBe(true);
    expect(wasShed(await call('flood'))).toBe(true);
  });

  test('cannot starve others, however long it lasts', async () => {
    admit({ concurrency: 4, maxWaiting: 8 });
    const begun: Call[] = [];
    let others = 0;
    for (let round = 0; round < 500; round++) {
      begun.push(...(await calls(20, 'flood')));
      const other = await call('other');
      begun.push(other);
      for (const one of begun) if (one.state === 'in work') await one.end();
      if (other.state === 'answered') others++;
      await vi.advanceTimersByTimeAsync(5);
    }
    expect(others).toBe(500);
    // No state is left afterwards.
    await vi.advanceTimersByTimeAsync(50);
    for (const one of begun) if (one.state === 'in work') await one.end();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a key that has its share', () => {
  test('is refused because of its own calls, another key because of all calls', async () => {
    admit({ concurrency: 2, maxPerKey: 1, maxWaiting: 10, maxWaitingPerKey: 1 });
    const one = await calls(3, 'one');
    const other = await calls(1, 'other');
    const third = await call('third');
    expect(one[2]?.state).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(third.state).toBe('waiting');
    await vi.advanceTimersByTimeAsync(50);
    // Its own share is free; the calls of other keys leave no room.
    expect(third.state).toMatchObject({ code: 'UNAVAILABLE' });
    expect(one[1]?.state).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(other[0]?.state).toBe('in work');
  });

  test('has its own maximum of waiting calls, however much room there is', async () => {
    admit({ concurrency: 8, maxPerKey: 2, maxWaiting: 100, maxWaitingPerKey: 3 });
    const all = await calls(10, 'one');
    expect([inWork(all), all.filter(wasShed).length]).toEqual([2, 5]);
  });
});

describe('a caller that hangs up', () => {
  test('while waiting is dropped, and the next call takes its place', async () => {
    admit({ concurrency: 1, maxWaiting: 1 });
    const first = await call('one');
    const hangUps: (() => void)[] = [];
    const gone = await call('one', (drop) => hangUps.push(drop));
    expect(wasShed(await call('one'))).toBe(true);
    hangUps[0]?.();
    await settle();
    expect(wasShed(gone)).toBe(true);
    const next = await call('one');
    await first.end();
    expect(next.state).toBe('in work');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('after its call started changes nothing', async () => {
    admit({ concurrency: 1, maxWaiting: 2 });
    const hangUps: (() => void)[] = [];
    const first = await call('one', (drop) => hangUps.push(drop));
    const second = await call('one', (drop) => hangUps.push(drop));
    await first.end();
    expect(second.state).toBe('in work');
    hangUps[0]?.();
    await settle();
    expect((await call('one')).state).toBe('waiting');
    await second.end();
    expect(second.state).toBe('answered');
  });

  test('is not watched for a call that starts at once', async () => {
    admit({ concurrency: 1, maxWaiting: 1 });
    const register = vi.fn();
    await call('one', register);
    expect(register).not.toHaveBeenCalled();
  });
});
