import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { runThread } from '../../src/jobs/engine/run-thread.ts';

test.runIf(process.platform === 'linux')('job threads run at a lower priority than calls', async () => {
  const script = new URL('./priority-thread.ts', import.meta.url);
  const tools = { signal: new AbortController().signal, report: () => undefined };
  const { niceness } = await runThread<{ niceness: number }>({ script, memoryAdvice: '' }, {}, tools);
  expect(niceness).toBeGreaterThanOrEqual(getPriority() + 5);
});
