import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const script = `
  import { runCommand } from ${JSON.stringify(new URL('../src/command/run-command.ts', import.meta.url).href)};
  await runCommand(async ({ closers, stopRequested }) => {
    closers.add({ name: 'a service', limitMs: 1000, close: async () => console.error('closed') });
    const timer = setInterval(() => console.log('a line'), 20);
    await stopRequested;
    clearInterval(timer);
  });`;

test('a reader that closes the pipe ends the command, which closes what it started', async () => {
  const child = spawn('node', ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'closed\n' });
});
