import { Closers } from '../processes/closers.ts';
import { showStep } from './screen.ts';

// npm hands the terminal's Ctrl-C on to us, who had it from the terminal already: two signals, one keypress.
const SAME_KEYPRESS_MS = 500;
const KILL_LIMIT_MS = 5_000;
const PARENT_CHECK_MS = 250;
// What shells say of a command that Ctrl-C ended.
const KILLED = 130;

export interface CommandContext {
  /** What the command starts goes in here, and is ended however it ends. */
  readonly closers: Closers;
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Settles at the first signal. */
  readonly stopRequested: Promise<undefined>;
}

/** Runs a command that starts things, ends what it started, and leaves the process with its exit code. */
export async function runCommand(work: (context: CommandContext) => Promise<void>): Promise<never> {
  const closers = new Closers();
  const stopping = new AbortController();
  const signals = listenToSignals(closers, stopping);
  let problem: unknown;
  try {
    await work({ closers, signal: stopping.signal, stopRequested: signals.stopRequested });
  } catch (error) {
    // What fails because we were told to stop is not a failure.
    if (!stopping.signal.aborted) problem = error;
  }
  showStep('');
  if (problem !== undefined) console.error(messageOf(problem));
  showStep('Stopping');
  const left = await closers.closeAll();
  showStep('');
  if (signals.isKilled()) process.exit(KILLED);
  for (const line of left) console.error(line);
  process.exitCode = problem === undefined && left.length === 0 ? 0 : 1;
  // What is left are idle connections and unread pipes.
  process.exit();
}

/** The second signal ends everything at once; whatever survives that, the guards end. */
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
        void closers.killAll(KILL_LIMIT_MS).then(() => process.exit(KILLED));
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
    whenNpmEnds(onSignal);
  });
  return { stopRequested, isKilled: () => killed };
}

/** Between npm and us stands a shell that dies of SIGTERM and tells us nothing: that our parent is gone is the message. */
function whenNpmEnds(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The options, or undefined when there is nothing left to do: help was asked for, or the arguments are not understood. */
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
