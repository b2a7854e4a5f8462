import { Closers } from '../processes/closers.ts';
import { showStep } from './screen.ts';

// On Ctrl-C, both the terminal and npm send us SIGINT: two signals for one keypress.
const SAME_KEYPRESS_MS = 500;
const KILL_LIMIT_MS = 5_000;
const PARENT_CHECK_MS = 250;
// The conventional exit code after Ctrl-C.
const KILLED_EXIT_CODE = 130;

export interface CommandContext {
  /** Closes what the command started, however the command ends. */
  readonly closers: Closers;
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Settles at the first signal. */
  readonly stopRequested: Promise<undefined>;
}

/** Runs a command, closes what it started, and exits the process. */
export async function runCommand(work: (context: CommandContext) => Promise<void>): Promise<never> {
  const closers = new Closers();
  const stopping = new AbortController();
  const signals = listenToSignals(closers, stopping);
  let problem: unknown;
  try {
    await work({ closers, signal: stopping.signal, stopRequested: signals.stopRequested });
  } catch (error) {
    // An error caused by the stop signal is not a failure.
    if (!stopping.signal.aborted) problem = error;
  }
  showStep('');
  if (problem !== undefined) console.error(messageOf(problem));
  showStep('Stopping');
  const left = await closers.closeAll();
  showStep('');
  if (signals.isKilled()) process.exit(KILLED_EXIT_CODE);
  for (const line of left) console.error(line);
  process.exitCode = problem === undefined && left.length === 0 ? 0 : 1;
  // Idle connections and unread pipes would keep the process alive.
  process.exit();
}

/** The second signal kills everything immediately; the guards kill whatever survives. */
function listenToSignals(closers: Closers, stopping: AbortController) {
  let killed = false;
  const stopRequested = new Promise<undefined>((resolve) => {
    let firstAt: number | undefined;
    const onSignal = () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        stopping.abort();
        resolve(undefined);
      } else if (performance.now() - firstAt > SAME_KEYPRESS_MS) {
        killed = true;
        void closers.killAll(KILL_LIMIT_MS).then(() => process.exit(KILLED_EXIT_CODE));
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
    onParentExit(onSignal);
    // Nobody reads any more: the pipe was closed, as by `… | head`, or the terminal. Stop as after a signal.
    process.stdout.on('error', () => {
      if (firstAt === undefined) onSignal();
    });
  });
  return { stopRequested, isKilled: () => killed };
}

/** npm runs us in a shell, which does not forward SIGTERM: we stop when our parent process is gone. */
function onParentExit(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Returns undefined after printing the usage, because of --help or invalid arguments. */
export function optionsOrUsage<T extends { readonly help: boolean }>(
  read: (args: readonly string[]) => T,
  usage: string,
): T | undefined {
  try {
    const options = read(process.argv.slice(2));
    if (!options.help) return options;
    console.log(usage);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usage}`);
    process.exitCode = 2;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
