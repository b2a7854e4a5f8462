import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { succession } from '../src/g1/fit/transitions.ts';
import { startThreads } from '../src/kernels/threads/start.ts';

describe('threads', () => {
  // A length below zero is what no thread can make an array of.
  const broken = { items: -1 } as never;

  test('that throw reject the current run and later ones with the same error', async () => {
    const threads = startThreads(2);
    const runs = [threads.run(succession, broken, 10), threads.run(succession, broken, 10)];
    for (const run of runs) await expect(run).rejects.toThrow('Invalid typed array length: -1');
    await threads.close();
  });

  test('that exit reject the current run', async () => {
    const threads = startThreads(2, new URL('./ending-thread.ts', import.meta.url));
    await expect(threads.run(succession, broken, 10)).rejects.toThrow('with code 3');
    await threads.close();
  });

  test('that are closed reject the current run and later ones', async () => {
    const never = new URL('data:text/javascript,setInterval(() => {}, 1000)');
    const threads = startThreads(1, never);
    const run = threads.run(succession, broken, 10);
    await threads.close();
    await expect(run).rejects.toThrow('The threads were closed');
    await expect(threads.run(succession, broken, 10)).rejects.toThrow('The threads were closed');
  });

  test('keep no shared memory that nothing refers to once they are released', async () => {
    const threads = startThreads(2);
    const bytes = 256 * 2 ** 20;
    const touched = () => new Uint8Array(new SharedArrayBuffer(bytes)).fill(1);
    await threads.run(succession, { items: 0, unused: touched() } as never, 0);
    const before = process.memoryUsage.rss();
    await threads.release();
    await expect.poll(() => before - process.memoryUsage.rss()).toBeGreaterThan(0.9 * bytes);
    await threads.close();
  });

  test('do not need to collect garbage: a process that may not use the inspector goes on', async () => {
    const script = new URL('../src/kernels/threads/collect-garbage.ts', import.meta.url).href;
    const program = `
      import { Session } from 'node:inspector/promises';
      import { collectGarbage } from '${script}';
      await collectGarbage();
      try { new Session().connect(); } catch ({ code }) { console.log(code); }
    `;
    const options = ['--permission', '--allow-fs-read=*', '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, options, { timeout: 30_000 });
    expect(stdout.trim()).toBe('ERR_ACCESS_DENIED');
  });

  test('do not keep the process alive once they are closed', async () => {
    const start = new URL('../src/kernels/threads/start.ts', import.meta.url).href;
    const program = `
      import { startThreads } from '${start}';
      const threads = startThreads(3);
      await threads.close();
      console.log(process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap').join());
    `;
    // It would run into the time limit if anything kept it alive.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { timeout: 30_000 },
    );
    expect(stdout.trim()).toBe('');
  });
});
