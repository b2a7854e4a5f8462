import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasExited } from '../../src/processes/has-exited.ts';

const LIMIT_MS = 60_000;

describe('services whose parent process', () => {
  it.each([
    { ends: 'is killed', then: 'wait', signal: 'SIGKILL' },
    { ends: 'receives Ctrl-C', then: 'wait', signal: 'SIGINT' },
    { ends: 'throws', then: 'throw', signal: undefined },
    { ends: 'exits without stopping them', then: 'end', signal: undefined },
  ] as const)(
    '$ends are stopped, and their files removed',
    async ({ then, signal }) => {
      const script = new URL('./start-services.ts', import.meta.url);
      const child = spawn(process.execPath, [fileURLToPath(script), then], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const exited = once(child, 'exit');
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const { pids, files } = JSON.parse(line) as { pids: number[]; files: string[] };
      if (signal) child.kill(signal);
      await exited;
      await expect.poll(() => Promise.all(pids.map(hasExited)), { timeout: 20_000 }).toEqual([true, true]);
      await expect.poll(() => files.filter(existsSync), { timeout: 20_000 }).toEqual([]);
    },
    LIMIT_MS,
  );
});
