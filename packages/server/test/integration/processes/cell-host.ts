import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Credentials } from '../stack/caller.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('./cell-process.ts', import.meta.url));
const ipProgram = '/usr/sbin/ip';
const startLimitMs = 180_000;

/** A cell on a host of its own: a network namespace, connected by a cable. */
export interface CellHost extends AsyncDisposable {
  readonly address: string;
  readonly credentials: Credentials;
  /** Ends all its processes at once, like a power cut. Its connections are refused afterwards. */
  kill(): Promise<void>;
  /** After `kill`, on the same data. */
  restart(): Promise<void>;
  /** As if its cable were unplugged: packets vanish, and nobody closes a connection. */
  unplug(): Promise<void>;
  plugIn(): Promise<void>;
}

/** `index` is different for each host of a test. Needs root. */
export async function startCellHost(cell: string, index: number, front: string): Promise<CellHost> {
  await using stack = new AsyncDisposableStack();
  // Others may test on this machine at the same time.
  const host = `tg${process.pid}-${index}`;
  // 198.18.0.0/15 is reserved for tests of networks.
  const network = `198.${18 + (process.pid & 1)}.${(process.pid >> 1) & 255}`;
  const [proxy, address] = [`${network}.${4 * index + 1}`, `${network}.${4 * index + 2}`];
  const ip = (...args: string[]) => run(ipProgram, args, { timeout: 10_000 });
  await ip('netns', 'add', host);
  stack.defer(async () => void (await ip('netns', 'del', host)));
  await ip('link', 'add', host, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', host);
  stack.defer(async () => void (await ip('link', 'del', host)));
  await ip('addr', 'add', `${proxy}/30`, 'dev', host);
  await ip('link', 'set', host, 'up');
  await ip('-n', host, 'link', 'set', 'eth0', 'up');
  const change = (how: 'add' | 'del') => ip('-n', host, 'addr', how, `${address}/30`, 'dev', 'eth0');
  const plugIn = async () => void (await change('add'));
  await ip('-n', host, 'link', 'set', 'lo', 'up');
  await plugIn();

  const kill = async () => {
    for (;;) {
      const { stdout } = await ip('netns', 'pids', host);
      const pids = stdout.split('\n').filter(Boolean).map(Number);
      if (pids.length === 0) return;
      for (const pid of pids) killIfThere(pid);
      await sleep(50);
    }
  };
  // Not in a folder of root: PostgreSQL has another user.
  const folder = await mkdtemp('/var/tmp/tastegraph-cell-');
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  stack.defer(kill);
  await run('chmod', ['755', folder]);
  await mkdir(join(folder, 'objects'));
  const start = () => startProcesses(host, [folder, cell, front, proxy]);
  await start();
  const credentials = JSON.parse(await readFile(join(folder, 'credentials.json'), 'utf8')) as Credentials;
  const owned = stack.move();
  return {
    address,
    credentials,
    kill,
    restart: start,
    unplug: async () => void (await change('del')),
    plugIn,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function startProcesses(host: string, args: readonly string[]): Promise<void> {
  const child = spawn(ipProgram, ['netns', 'exec', host, process.execPath, main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => child.kill(), startLimitMs);
  try {
    for await (const line of createInterface(child.stdout)) if (line === 'ready') return;
    throw new Error(
      `The cell did not start within ${startLimitMs / 1000} s, or ended. See its errors above.`,
    );
  } finally {
    clearTimeout(timer);
  }
}
