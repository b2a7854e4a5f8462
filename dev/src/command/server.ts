import { spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startGuard } from '../processes/guard.ts';
import { serviceError } from '../processes/log.ts';
import { run } from '../processes/run.ts';
import { settlesWithin, waitUntil } from '../processes/wait.ts';
import { formatProblem } from './log-line.ts';
import { ROOT } from './place.ts';

const SERVER = join(ROOT, 'packages/server/tastegraph-server');
// A migration may rewrite a developer's large tables.
const COMMAND_LIMIT_MS = 10 * 60_000;
const READY_LIMIT_MS = 60_000;
// The server finishes requests in flight and requeues its job.
const STOP_LIMIT_MS = 30_000;
const RECENT_LINES = 20;

/** Runs a command of the server and returns its output. */
export async function runServerCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const options = { env, cwd: ROOT, limitMs: COMMAND_LIMIT_MS, signal };
  const { ok, reason, stdout, stderr } = await run(SERVER, args, options);
  if (ok) return stdout;
  signal.throwIfAborted();
  const lines = (stderr || stdout).trim().split('\n').slice(-RECENT_LINES);
  throw serviceError(
    `Server command \`${args.join(' ')}\` failed (${reason}).`,
    lines,
    'fix the cause and start again.',
  );
}

/** Builds the console, which the server serves at /, if its sources are newer than the last build. The npm package contains it. */
export async function buildConsole(signal: AbortSignal): Promise<void> {
  const script = join(ROOT, 'packages/console/build.ts');
  if (!existsSync(script)) return;
  const options = { env: process.env, cwd: ROOT, limitMs: COMMAND_LIMIT_MS, signal };
  const { ok, reason, stdout, stderr } = await run(process.execPath, [script], options);
  if (ok) return;
  signal.throwIfAborted();
  const lines = (stderr || stdout).trim().split('\n').slice(-RECENT_LINES);
  throw serviceError(`The console could not be built (${reason}).`, lines, 'fix the cause and start again.');
}

export interface RunningServer {
  /** Resolves when the process exits, by itself or by stop(), with an error that describes how. */
  readonly ended: Promise<Error>;
  waitUntilReady(baseUrl: string, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  kill(): void;
}

/** Writes all output to the log, and also passes warnings and errors to `onProblem`. */
export function startServer(
  env: NodeJS.ProcessEnv,
  logFile: string,
  onProblem: (line: string) => void,
): RunningServer {
  const child = spawn(SERVER, ['all-in-one'], {
    cwd: ROOT,
    env,
    // In its own session, so that Ctrl-C reaches only us and we can stop everything in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const guard = startGuard(['TERM']);
  guard.watch(child.pid);
  const log = createWriteStream(logFile, { mode: 0o600 });
  const recentLines: string[] = [];
  for (const source of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[source] }).on('line', (line) => {
      log.write(`${line}\n`);
      recentLines.push(line);
      if (recentLines.length > RECENT_LINES) recentLines.shift();
      const problem = formatProblem(line, source);
      if (problem !== undefined) onProblem(problem);
    });
  }
  let hasEnded = false;
  const ended = new Promise<Error>((resolve) => {
    const finish = (how: string) => {
      hasEnded = true;
      guard.dismiss();
      resolve(serviceError(`The server ${how}.`, recentLines, 'fix the cause and start again.'));
    };
    child.once('error', (error) => finish(`cannot be started: ${error.message}`));
    // `close`, not `exit`, so that all output has been read.
    child.once('close', (code, signal) =>
      finish(`exited unexpectedly (${signal ?? `exit code ${code ?? 0}`})`),
    );
  });

  return {
    ended,
    waitUntilReady: async (baseUrl, signal) => {
      const check = async () => hasEnded || (await isOk(`${baseUrl}/readyz`));
      const settled = await waitUntil(check, { limitMs: READY_LIMIT_MS, everyMs: 50, signal });
      if (hasEnded) throw await ended;
      if (!settled) {
        const what = `The server did not answer ${baseUrl}/readyz with 200 within ${READY_LIMIT_MS / 1000} s.`;
        throw serviceError(what, recentLines, 'fix the cause and start again.');
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

function isOk(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status === 200;
    },
    () => false,
  );
}
