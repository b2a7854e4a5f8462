import { expect, test } from 'vitest';
import { runChild } from '../../src/jobs/engine/run-child.ts';

const script = new URL('./child-fixture.ts', import.meta.url);
const limits = { memoryBytes: 300 * 2 ** 20, cpuSeconds: 2 };

function run(what: string, signal = new AbortController().signal) {
  const reported: string[] = [];
  const report = (stage: string) => void reported.push(stage);
  return { ended: runChild<unknown>(script, limits, { what }, { signal, report }), reported };
}

test('a child process returns what its work returns, and reports', async () => {
  const { ended, reported } = run('work');
  expect(await ended).toEqual({ list: [undefined, 1] });
  expect(reported).toEqual(['working']);
});

test('an error that no retry fixes keeps its code', async () => {
  await expect(run('fail').ended).rejects.toMatchObject({ name: 'JobError', code: 'FILE_INVALID' });
});

test.each([
  ['heap', 'memory'],
  ['buffers', 'memory'],
  ['impossible', 'memory'],
  ['hang', 'cpu'],
  ['crash', 'died'],
  ['leave', 'died'],
])(
  'a child whose work ends with %s is ended (%s), and this process goes on',
  async (what, end) => {
    const started = performance.now();
    await expect(run(what).ended).rejects.toMatchObject({ name: 'ChildKilledError', end });
    expect(performance.now() - started).toBeLessThan(20_000);
  },
  30_000,
);

test('a child that reports may take any CPU time', async () => {
  expect(await run('long').ended).toBe('done');
}, 30_000);

test('an aborted child is stopped, even if it hangs', async () => {
  const stopping = new AbortController();
  const { ended } = run('hang', stopping.signal);
  setTimeout(() => stopping.abort(new Error('stopped')), 500);
  await expect(ended).rejects.toThrow('stopped');
});
