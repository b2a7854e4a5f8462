import { bringUp, type Running } from './command/bring-up.ts';
import { readOptions, USAGE } from './command/options.ts';
import { showStep, welcome } from './command/screen.ts';
import { shortPath } from './command/workplace.ts';
import { Closers } from './processes/closers.ts';

// npm hands the terminal's Ctrl-C on to us, who had it from the terminal already: two signals, one keypress.
const SAME_KEYPRESS_MS = 500;
const KILL_LIMIT_MS = 5_000;
const PARENT_CHECK_MS = 250;
// What shells say of a command that Ctrl-C ended.
const KILLED = 130;

const closers = new Closers();
const stopping = new AbortController();
let killed = false;

process.exitCode = await main(process.argv.slice(2));
// What is left are idle connections and unread pipes.
process.exit();

async function main(args: readonly string[]): Promise<number> {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const stopRequested = listenToSignals();
  let problem: unknown;
  try {
    const running = await bringUp(options, closers, stopping.signal);
    announce(running, options.json);
    problem = await Promise.race([stopRequested, running.server.ended]);
  } catch (error) {
    // What fails because we were told to stop is not a failure.
    if (!stopping.signal.aborted) problem = error;
  }
  showStep('');
  if (problem !== undefined) console.error(messageOf(problem));
  showStep('Stopping');
  const left = await closers.closeAll();
  showStep('');
  if (killed) return KILLED;
  for (const line of left) console.error(line);
  return problem === undefined && left.length === 0 ? 0 : 1;
}

function announce({ baseUrl, credentials, postgres, redis, workplace }: Running, json: boolean): void {
  const { apiKey, apiSecret } = credentials;
  if (json) {
    console.log(JSON.stringify({ base_url: baseUrl, api_key: apiKey, api_secret: apiSecret }));
    if (!redis) console.error('No Redis was found: limits are kept in the process.');
    return;
  }
  console.log(
    welcome({
      baseUrl,
      apiKey,
      apiSecret,
      postgres: postgres.description,
      redis: redis?.description ?? 'none found: limits are kept in the process',
      serverLog: shortPath(workplace.serverLog),
      seconds: performance.now() / 1000,
    }),
  );
}

/** Settles at the first signal. The second ends everything at once; whatever survives that, the guards end. */
function listenToSignals(): Promise<undefined> {
  return new Promise((resolve) => {
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
