import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startGuard } from '../processes/guard.ts';
import { failure } from '../processes/log.ts';
import { run } from '../processes/run.ts';
import { settlesWithin, waitUntil } from '../processes/wait.ts';
import { troubleIn } from './log-line.ts';
import { REPO } from './workplace.ts';

const SERVER = join(REPO, 'packages/server/tastegraph-server');
// A migration may rewrite a developer's large tables.
const COMMAND_LIMIT_MS = 10 * 60_000;
const READY_LIMIT_MS = 60_000;
// It finishes the requests under way and hands its job back.
const STOP_LIMIT_MS = 30_000;
const REMEMBERED_LINES = 20;

/** Runs one of the server's commands to its end and returns what it printed. */
export async function runServerCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const options = { env, cwd: REPO, limitMs: COMMAND_LIMIT_MS, signal };
  const { ok, reason, stdout, stderr } = await run(SERVER, args, options);
  if (ok) return stdout;
  signal.throwIfAborted();
  const said = (stderr || stdout).trim().split('\n').slice(-REMEMBERED_LINES);
  throw failure(
    `The server's command \`${args.join(' ')}\` failed (${reason}).`,
    said,
    'mend what it says and start again.',
  );
}

export interface RunningServer {
  /** Settles when the process ends by itself or by stop(); the error says how. */
  readonly ended: Promise<Error>;
  waitUntilReady(baseUrl: string, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  kill(): void;
}

/** All it says goes to the log; what a developer must not miss goes to `onTrouble` as well. */
export function startServer(
  env: NodeJS.ProcessEnv,
  logFile: string,
  onTrouble: (line: string) => void,
): RunningServer {
  const child = spawn(SERVER, ['all-in-one'], {
    cwd: REPO,
    env,
    // Its own session: Ctrl-C in the terminal reaches us alone, and we end things in their order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const guard = startGuard(['TERM']);
  guard.watch(child.pid);
  const log = createWriteStream(logFile, { mode: 0o600 });
  const remembered: string[] = [];
  for (const source of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[source] }).on('line', (line) => {
      log.write(`${line}\n`);
      remembered.push(line);
      if (remembered.length > REMEMBERED_LINES) remembered.shift();
      const trouble = troubleIn(line, source);
      if (trouble !== undefined) onTrouble(trouble);
    });
  }
  let hasEnded = false;
  const ended = new Promise<Error>((resolve) => {
    const finish = (how: string) => {
      hasEnded = true;
      guard.dismiss();
      resolve(failure(`The server ${how}.`, remembered, 'mend what it says and start again.'));
    };
    child.once('error', (error) => finish(`cannot be started: ${error.message}`));
    // `close`, not `exit`: by then its last words have been read.
    child.once('close', (code, signal) => finish(`ended by itself (${signal ?? `exit code ${code ?? 0}`})`));
  });

  return {
    ended,
    waitUntilReady: async (baseUrl, signal) => {
      const check = async () => hasEnded || (await answers(`${baseUrl}/readyz`));
      const settled = await waitUntil(check, { limitMs: READY_LIMIT_MS, everyMs: 50, signal });
      if (hasEnded) throw await ended;
      if (!settled) {
        const what = `The server did not answer ${baseUrl}/readyz with 200 within ${READY_LIMIT_MS / 1000} s.`;
        throw failure(what, remembered, 'mend what it says and start again.');
      }
    },
    stop: async () => {
      if (hasEnded) return;
      child.kill('SIGTERM');
      if (await settlesWithin(ended, STOP_LIMIT_MS)) return;
      child.kill('SIGKILL');
      await ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status === 200;
    },
    () => false,
  );
}
