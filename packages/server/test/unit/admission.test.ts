import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Fault } from '../../src/domain/fault.ts';
import { type Admission, type AdmissionOptions, createAdmission } from '../../src/serving/admission.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

let shed: number;
let admission: Admission;
function admit(options: Omit<AdmissionOptions, 'onShed'>): void {
  shed = 0;
  admission = createAdmission({ ...options, onShed: () => shed++ });
}

interface Call {
  state: 'waiting' | 'in work' | 'answered' | Fault;
  end(how?: Error): Promise<void>;
}

/** A call that is in work until it is ended. */
async function call(project: string): Promise<Call> {
  const work = Promise.withResolvers<undefined>();
  const one: Call = {
    state: 'waiting',
    async end(how) {
      if (how) work.reject(how);
      else work.resolve(undefined);
      await settle();
    },
  };
  admission
    .run(project, () => {
      one.state = 'in work';
      return work.promise;
    })
    .then(
      () => (one.state = 'answered'),
      (error: unknown) => {
        if (error instanceof Fault) one.state = error;
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
const wasShed = ({ state }: Call) => state instanceof Fault;

describe('calls', () => {
  test('beyond the places wait, the oldest is next, and the rest are shed at once', async () => {
    admit({ places: 4, mostWaiting: 2, waitMs: 50 });
    const all = await calls(7, 'one');
    expect(all.map(({ state }) => (state instanceof Fault ? state.code : state))).toEqual([
      ...Array<string>(3).fill('in work'),
      ...Array<string>(2).fill('waiting'),
      ...Array<string>(2).fill('UNAVAILABLE'),
    ]);
    expect(all[6]?.state).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 });
    expect(shed).toBe(2);
    await all[1]?.end();
    expect(all[1]?.state).toBe('answered');
    expect(all[3]?.state).toBe('in work');
    expect(all[4]?.state).toBe('waiting');
  });

  test('wait for so long and no longer', async () => {
    admit({ places: 1, mostWaiting: 10, waitMs: 50 });
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

  test('that fail give their place back', async () => {
    admit({ places: 1, mostWaiting: 0, waitMs: 50 });
    for (let n = 0; n < 10; n++) {
      const one = await call('one');
      expect(one.state).toBe('in work');
      await one.end(new Error('failed'));
    }
  });
});

describe('a project that floods', () => {
  test('leaves places for the first calls of another', async () => {
    admit({ places: 8, mostWaiting: 10, waitMs: 50 });
    const flood = await calls(100, 'flood');
    expect(inWork(flood)).toBe(6);
    expect(inWork(await calls(2, 'other'))).toBe(2);
  });

  test('gets a place after those who have fewer', async () => {
    admit({ places: 4, mostWaiting: 10, waitMs: 50 });
    const flood = await calls(6, 'flood');
    const other = await calls(3, 'other');
    const third = await call('third');
    expect([inWork(flood), inWork(other), third.state]).toEqual([3, 1, 'waiting']);
    await flood[0]?.end();
    expect(third.state).toBe('in work');
    await third.end();
    expect([inWork(flood), inWork(other)]).toEqual([2, 2]);
    // Of equals, the one that waits the longest.
    await flood[1]?.end();
    await other[0]?.end();
    expect([inWork(flood), inWork(other)]).toEqual([2, 2]);
  });

  test('sheds its own when all that may wait do', async () => {
    admit({ places: 2, mostWaiting: 4, waitMs: 50 });
    const flood = await calls(5, 'flood');
    const [first, ...waiting] = await calls(3, 'other');
    expect(first?.state).toBe('in work');
    expect(waiting.map(({ state }) => state)).toEqual(['waiting', 'waiting']);
    // Its latest ones; and no more of them than makes the two equal.
    expect(flood.map(wasShed)).toEqual([false, false, false, true, true]);
    expect(wasShed(await call('other'))).toBe(true);
    expect(wasShed(await call('flood'))).toBe(true);
  });

  test('cannot keep others out, however long it goes on', async () => {
    admit({ places: 4, mostWaiting: 8, waitMs: 50 });
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
    // Nothing is left of it afterwards.
    await vi.advanceTimersByTimeAsync(50);
    for (const one of begun) if (one.state === 'in work') await one.end();
    expect(vi.getTimerCount()).toBe(0);
  });
});
