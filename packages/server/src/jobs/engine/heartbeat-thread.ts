import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { type Attempt, beatText } from '../../storage/postgres/attempts.ts';
import { type FromHeartbeat, type HeartbeatSettings, holdName, type ToHeartbeat } from './heartbeat.ts';

const { settings, ticks } = workerData as { settings: HeartbeatSettings; ticks: Int32Array };
const held = new Map<string, Attempt>();
let client: pg.Client | undefined;

parentPort?.on('message', (message: ToHeartbeat) => {
  if ('hold' in message) held.set(holdName(message.hold), message.hold);
  else held.delete(holdName(message.release));
});

const say = (message: FromHeartbeat) => parentPort?.postMessage(message);

async function beat(): Promise<void> {
  const holds = [...held.values()];
  client ??= await connect();
  const { rows } = await client.query<Attempt>(beatText, [
    holds.map(({ job_key }) => job_key),
    holds.map(({ attempt }) => attempt),
    settings.workerId,
  ]);
  const still = new Set(rows.map(holdName));
  for (const hold of holds) {
    const name = holdName(hold);
    // Unless it was released meanwhile.
    if (!still.has(name) && held.delete(name)) say({ lost: hold });
  }
}

async function connect(): Promise<pg.Client> {
  const opened = new pg.Client({
    connectionString: settings.databaseUrl,
    application_name: 'tastegraph heartbeat',
    // A beat that takes longer than it lasts is no beat: a new connection may do better.
    connectionTimeoutMillis: settings.everyMs * 2,
    query_timeout: settings.everyMs * 2,
    keepAlive: true,
  });
  // It also fails the query that waits; between queries, the next beat finds it closed.
  opened.on('error', () => undefined);
  await opened.connect();
  return opened;
}

/**
 * Whether the main thread has not moved for too long. A process that was stopped as a whole wakes up with both threads late:
 * only beats that came on time count as having watched.
 */
function watchMain(): () => boolean {
  let seen = Atomics.load(ticks, 0);
  let stillMs = 0;
  let last = performance.now();
  return () => {
    const now = performance.now();
    const passedMs = now - last;
    last = now;
    const moved = Atomics.load(ticks, 0) !== seen;
    seen = Atomics.load(ticks, 0);
    if (moved) stillMs = 0;
    else if (passedMs < settings.everyMs * 3) stillMs += passedMs;
    return stillMs >= settings.hungMs;
  };
}

const isMainHung = watchMain();
for (;;) {
  // Nothing in this process will ever finish: its jobs are another's, and whoever started it starts it again.
  if (isMainHung()) {
    // Not by process.stderr: a thread's goes through the main thread.
    writeSync(2, '{"level":60,"msg":"the main thread hangs: the process ends itself"}\n');
    process.kill(process.pid, 'SIGKILL');
  }
  try {
    await beat();
  } catch (error) {
    say({ trouble: (error as Error).message });
    await client?.end().catch(() => undefined);
    client = undefined;
  }
  await sleep(settings.everyMs);
}
