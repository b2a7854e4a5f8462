import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isPortFree } from '@tastegraph/dev';

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, '../../../../..');
const boot = join(repository, 'dev/src/systemd/boot.sh');

/** A systemd of its own with our units, on what deploy/assemble makes: the machine of docs/operations/systemd.md. */
export interface SystemdMachine extends AsyncDisposable {
  /** `systemctl …`; throws with what it wrote when it fails. */
  systemctl(...args: string[]): Promise<string>;
  /** Properties of a unit, as `systemctl show` names them. */
  show(unit: string, ...properties: string[]): Promise<Record<string, string>>;
  /** `/proc/PID/status` of a unit's main process. */
  processOf(unit: string): Promise<Record<string, string>>;
  /** All that our units have written. */
  logs(): Promise<string>;
}

export interface MachineOptions {
  /** Of the target's instances: the first in place of 8080 and 8090, the others as `systemctl enable` adds them. */
  readonly ports: { readonly api: readonly number[]; readonly serving: readonly number[] };
  /** Files of /etc/tastegraph. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A service's own units and no others: these are what every machine has, without what they do there. */
const targets = ['basic', 'sysinit', 'shutdown', 'network-online', 'multi-user'];

export async function startSystemdMachine({ ports, settings }: MachineOptions): Promise<SystemdMachine> {
  const folder = await mkdtemp(join(tmpdir(), 'tastegraph-systemd-'));
  const stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    await run(join(repository, 'deploy/assemble'), [join(folder, 'app')], { timeout: 300_000 });
    await symlink(await realpath(process.execPath), join(folder, 'node'));
    await mkdir(join(folder, 'etc'));
    for (const [file, variables] of Object.entries(settings)) {
      const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
      await writeFile(join(folder, 'etc', file), lines.join(''), { mode: 0o600 });
    }
    await copyUnits(join(folder, 'units'), ports);
    const pid = await bootSystemd(folder, stack);
    const inside = async (command: string, ...args: string[]) => {
      const { stdout } = await run('nsenter', ['-t', pid, '-m', '-p', '-C', command, ...args], {
        timeout: 240_000,
      });
      return stdout;
    };
    const show = async (unit: string, ...properties: string[]) =>
      readPairs(await inside('systemctl', 'show', unit, '-p', properties.join(',')), '=');
    return {
      systemctl: (...args) => inside('systemctl', ...args),
      show,
      async processOf(unit) {
        const { MainPID = '' } = await show(unit, 'MainPID');
        return readPairs(await inside('cat', `/proc/${MainPID}/status`), ':');
      },
      logs: () => inside('sh', '-c', 'tail -n 50 /run/tastegraph-*.log'),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** As they are, but for the target's ports, and with what they write in files: there is no journal. */
async function copyUnits(to: string, { api, serving }: MachineOptions['ports']): Promise<void> {
  const from = join(repository, 'deploy/systemd');
  const wants = join(to, 'tastegraph.target.wants');
  await mkdir(wants, { recursive: true });
  for (const [role, [, ...more]] of Object.entries({ api, serving }))
    for (const port of more)
      await symlink(`../tastegraph-${role}@.service`, join(wants, `tastegraph-${role}@${port}.service`));
  for (const name of await readdir(from)) {
    if (name.endsWith('.env')) continue;
    const unit = await readFile(join(from, name), 'utf8');
    await writeFile(
      join(to, name),
      unit.replace('@8080.', `@${api[0]}.`).replace('@8090.', `@${serving[0]}.`),
    );
    if (!name.endsWith('.service')) continue;
    await mkdir(join(to, `${name}.d`));
    const output = ['Output', 'Error'].map((stream) => `Standard${stream}=append:/run/%N.log\n`);
    await writeFile(join(to, `${name}.d/log.conf`), `[Service]\n${output.join('')}`);
  }
  for (const name of targets) await writeFile(join(to, `${name}.target`), '[Unit]\nDefaultDependencies=no\n');
}

/** Answers its process id. */
async function bootSystemd(folder: string, stack: AsyncDisposableStack): Promise<string> {
  const child = spawn(boot, [folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const ended = new Promise<void>((settle) => {
    child.on('close', () => settle());
  });
  stack.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  for await (const line of createInterface(child.stdout)) {
    const pid = /^systemd (\d+)$/.exec(line)?.[1];
    if (pid === undefined) continue;
    await untilItAnswers(pid);
    return pid;
  }
  throw new Error(`systemd did not start. ${complaints}`);
}

async function untilItAnswers(pid: string): Promise<void> {
  const isUp = () => run('nsenter', ['-t', pid, '-m', '-p', '-C', 'systemctl', 'is-active', 'basic.target']);
  for (const end = performance.now() + 60_000; ; ) {
    const problem = await isUp().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (problem === undefined) return;
    if (performance.now() > end) throw new Error('systemd does not answer', { cause: problem });
    await sleep(50);
  }
}

function readPairs(text: string, separator: string): Record<string, string> {
  const pairs = text.split('\n').map((line) => {
    const at = line.indexOf(separator);
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Ports that `fetch`, and with it the health check, refuses to call. */
const blockedPorts = [
  2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
];

/** A port whose metrics can be 10,000 above it, as the units have them. */
export async function findInstancePort(except: readonly number[] = []): Promise<number> {
  for (let tries = 0; tries < 1000; tries++) {
    const port = 2000 + Math.floor(Math.random() * 8000);
    if ([...except, ...blockedPorts].includes(port)) continue;
    if ((await isPortFree(port)) && (await isPortFree(port + 10_000))) return port;
  }
  throw new Error('No two ports that are 10,000 apart are free.');
}
