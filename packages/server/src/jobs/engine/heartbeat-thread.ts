import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { type Attempt, beatText } from '../rows/attempts.ts';
import { attemptName, type FromHeartbeat, type HeartbeatSettings, type ToHeartbeat } from './heartbeat.ts';

const { settings, ticks } = workerData as { settings: HeartbeatSettings; ticks: Int32Array };
const tracked = new Map<string, Attempt>();
let client: pg.Client | undefined;

parentPort?.on('message', (message: ToHeartbeat) => {
  if ('track' in message) tracked.set(attemptName(message.track), message.track);
  else tracked.delete(attemptName(message.untrack));
});

const post = (message: FromHeartbeat) => parentPort?.postMessage(message);

async function beat(): Promise<void> {
  const attempts = [...tracked.values()];
  client ??= await connect();
  const { rows } = await client.query<Attempt>(beatText, [
    attempts.map(({ job_key }) => job_key),
    attempts.map(({ attempt }) => attempt),
    settings.workerId,
  ]);
  const current = new Set(rows.map(attemptName));
  for (const attempt of attempts) {
    const name = attemptName(attempt);
    // Not lost if it was untracked meanwhile.
    if (!current.has(name) && tracked.delete(name)) post({ lost: attempt });
  }
}

async function connect(): Promise<pg.Client> {
  const opened = new pg.Client({
    connectionString: settings.databaseUrl,
    application_name: 'tastegraph heartbeat',
    // A heartbeat this late is useless; a new connection may do better.
    connectionTimeoutMillis: settings.everyMs * 2,
    query_timeout: settings.everyMs * 2,
    keepAlive: true,
  });
  // An error also rejects the pending query; between queries, the next heartbeat finds the connection closed.
  opened.on('error', () => undefined);
  await opened.connect();
  return opened;
}

/** Whether it has been stuck for too long. Only beats on time count: after a suspended process, both threads wake up late. */
function watchMain(): () => boolean {
  let seen = Atomics.load(ticks, 0);
  let stuckMs = 0;
  let last = performance.now();
  return () => {
    const now = performance.now();
    const passedMs = now - last;
    last = now;
    const moved = Atomics.load(ticks, 0) !== seen;
    seen = Atomics.load(ticks, 0);
    if (moved) stuckMs = 0;
    else if (passedMs < settings.everyMs * 3) stuckMs += passedMs;
    return stuckMs >= settings.hungMs;
  };
}

const isMainHung = watchMain();
for (;;) {
  // No job of this process will ever finish: other workers take them over, and the supervisor restarts the process.
  if (isMainHung()) {
    // Not process.stderr, which goes through the main thread.
    writeSync(2, '{"level":60,"msg":"the main thread is hung: killing the process"}\n');
    process.kill(process.pid, 'SIGKILL');
  }
  try {
    await beat();
  } catch (error) {
    post({ error: (error as Error).message });
    await client?.end().catch(() => undefined);
    client = undefined;
  }
  await sleep(settings.everyMs);
}
