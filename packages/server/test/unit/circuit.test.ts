import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Circuit, createCircuit } from '../../src/storage/redis/circuit.ts';

const answerMs = 20;
const pauseMs = 1000;

/** How long the one who is asked takes to answer; undefined: for ever. */
let takesMs: number | undefined;
let pings: number;
let changes: boolean[];
let circuit: Circuit;

beforeEach(() => {
  vi.useFakeTimers();
  takesMs = 1;
  pings = 0;
  changes = [];
  circuit = createCircuit({
    answerMs,
    pauseMs,
    ping: () => {
      pings++;
      return reply();
    },
    onChange: (isAway) => changes.push(isAway),
  });
});
afterEach(() => void vi.useRealTimers());

function reply(): Promise<string> {
  return new Promise((resolve) => {
    if (takesMs !== undefined) setTimeout(() => resolve('answer'), takesMs);
  });
}

/** What is answered, and after how long. */
async function ask(question = reply): Promise<{ answer: string | undefined; tookMs: number }> {
  const start = performance.now();
  const asked = circuit.ask(question).then((answer) => ({ answer, tookMs: performance.now() - start }));
  await vi.advanceTimersByTimeAsync(answerMs + 1);
  return asked;
}

test('one who answers in time is asked each time', async () => {
  for (let n = 0; n < 3; n++) expect(await ask()).toEqual({ answer: 'answer', tookMs: 1 });
  expect(changes).toEqual([]);
});

test('one who hangs costs one wait, and gets one ping, however long it goes on', async () => {
  takesMs = undefined;
  const first = await ask();
  expect(first.answer).toBeUndefined();
  expect(first.tookMs).toBeLessThanOrEqual(answerMs + 1);
  for (let n = 0; n < 500; n++) expect(await ask()).toEqual({ answer: undefined, tookMs: 0 });
  expect(pings).toBe(1);
  expect(changes).toEqual([true]);
});

test('after a hiccup it is asked again at once', async () => {
  takesMs = 100;
  expect((await ask()).answer).toBeUndefined();
  takesMs = 1;
  await vi.advanceTimersByTimeAsync(100);
  expect((await ask()).answer).toBe('answer');
  expect(changes).toEqual([true, false]);
});

test('one who is always too slow is left alone, but for a ping a second that nobody waits for', async () => {
  takesMs = 100;
  await ask();
  for (let n = 0; n < 480; n++) expect((await ask()).tookMs).toBe(0);
  // Ten seconds.
  expect(pings).toBeGreaterThan(8);
  expect(pings).toBeLessThan(12);
  expect(changes).toEqual([true]);
});

test('one who refuses is tried again after the pause, and used when it answers', async () => {
  const refuse = () => Promise.reject(new Error('gone'));
  expect(await ask(refuse)).toEqual({ answer: undefined, tookMs: 0 });
  await vi.advanceTimersByTimeAsync(pauseMs / 2);
  expect((await ask()).answer).toBeUndefined();
  expect(pings).toBe(0);
  await vi.advanceTimersByTimeAsync(pauseMs / 2);
  expect((await ask()).answer).toBeUndefined();
  expect(pings).toBe(1);
  expect((await ask()).answer).toBe('answer');
  expect(changes).toEqual([true, false]);
});

test('an answer that has arrived while the process was busy is not late', async () => {
  vi.useRealTimers();
  const answer = new Promise<string>((resolve) => setImmediate(() => resolve('answer')));
  const asked = circuit.ask(() => answer);
  for (const end = performance.now() + 2 * answerMs; performance.now() < end; );
  expect(await asked).toBe('answer');
});
