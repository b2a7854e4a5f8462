import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { findBinaries } from '../postgres/binaries.ts';
import { killProcesses } from '../postgres/postmaster.ts';
import { serviceAccount, temporaryRoot } from '../processes/account.ts';
import { findFreePort } from '../processes/port.ts';
import { type PrivateService, startPrivateService } from '../processes/private-service.ts';
import { type Account, run } from '../processes/run.ts';
import { waitUntil } from '../processes/wait.ts';

/** Two PostgreSQL nodes that Patroni manages, behind HAProxy, as in deploy/patroni. */
export interface PatroniCluster extends AsyncDisposable {
  /** Follows the primary. */
  readonly url: string;
  /** Leads to the standby. */
  readonly readUrl: string;
  /** The addresses of the nodes themselves. */
  readonly nodeUrls: readonly string[];
  /** The index of the node that is the primary now. */
  findPrimary(): Promise<number>;
  /** Kills Patroni and PostgreSQL of a node, like a power cut. */
  kill(node: number): Promise<void>;
  restart(node: number): Promise<void>;
  /** Returns when the other node replicates synchronously, so that a failover loses nothing. */
  waitUntilSynchronous(): Promise<void>;
}

const deployFolder = resolve(import.meta.dirname, '../../../deploy');
const patroniVersion = '4.1.5';
// Not the one on the PATH, which PostgreSQL's user may not be allowed to run.
const PYTHON = '/usr/bin/python3';
const nodes = 2;
/** Installing from PyPI, or cloning a standby on a busy machine. */
const longMs = 180_000;
const stopSteps = [{ signal: 'SIGTERM', limitMs: 30_000 }] as const;

/** Installs Patroni once, into XDG_CACHE_HOME or /var/tmp. Needs etcd, haproxy and python3-venv. */
export async function startPatroni(): Promise<PatroniCluster> {
  const patroni = await installPatroni();
  const account = await serviceAccount();
  const { binDirectory } = await findBinaries('auto', account);
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(await temporaryRoot(account), 'tastegraph-patroni-'));
  if (account) await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
  const clientPort = await findFreePort();
  const etcd = stack.use(await startEtcd(clientPort, folder));
  const ports = await Promise.all(
    Array.from({ length: nodes }, async () => ({ sql: await findFreePort(), rest: await findFreePort() })),
  );
  const password = randomBytes(24).toString('hex');
  const custom = join(folder, 'tastegraph.conf');
  // Two servers share this machine with everything else.
  const settings = `${await readFile(join(deployFolder, 'postgres/tastegraph.conf'), 'utf8')}\nshared_buffers = '256MB'\n`;
  await writeFile(custom, settings);
  if (account) await chown(custom, account.uid, account.gid);
  const started: PrivateService[] = [];
  for (const [index, { sql, rest }] of ports.entries())
    started.push(
      stack.use(
        await startNode(patroni, account, {
          name: `node${index + 1}`,
          folder,
          custom,
          binDirectory,
          sql,
          rest,
          etcdPort: etcd.port,
          password,
        }),
      ),
    );
  const proxy = stack.use(await startProxy(folder, ports));
  const urlOf = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const answers = async (node: number, path: string) =>
    fetch(`http://127.0.0.1:${ports[node]?.rest}${path}`).then(
      ({ ok }) => ok,
      () => false,
    );
  const findNode = async (path: string) => {
    for (const node of ports.keys()) if (await answers(node, path)) return node;
    return undefined;
  };
  const waitUntilSynchronous = async () => {
    const isReady = async () => (await findNode('/synchronous')) !== undefined;
    if (!(await waitUntil(isReady, { limitMs: longMs, everyMs: 200 })))
      throw new Error(`No standby became synchronous. See ${folder}/*.log.`);
  };
  await waitUntilSynchronous();
  const owned = stack.move();
  return {
    url: urlOf(proxy.port),
    readUrl: urlOf(proxy.readPort),
    nodeUrls: ports.map(({ sql }) => urlOf(sql)),
    async findPrimary() {
      const node = await findNode('/primary');
      if (node === undefined) throw new Error('there is no primary now');
      return node;
    },
    kill: async (node) => started[node]?.kill(),
    restart: async (node) => started[node]?.restart(),
    waitUntilSynchronous,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function installPatroni(): Promise<string> {
  // PostgreSQL's user must be able to enter the folder, which a home folder often does not allow.
  const folder = join(process.env['XDG_CACHE_HOME'] ?? '/var/tmp', `tastegraph-patroni-${patroniVersion}`);
  await makeOwnFolder(folder);
  const program = join(folder, 'bin/patroni');
  const options = { limitMs: longMs };
  if ((await run(program, ['--version'], options)).ok) return program;
  const steps: [string, string[]][] = [
    [PYTHON, ['-m', 'venv', folder]],
    [join(folder, 'bin/pip'), ['install', '--quiet', `patroni[etcd3]==${patroniVersion}`, 'psycopg[binary]']],
  ];
  for (const [command, args] of steps) {
    const { ok, reason, stderr } = await run(command, args, options);
    if (!ok)
      throw new Error(
        `Patroni could not be installed (${reason}): apt install python3-venv. ${stderr.slice(-500)}`,
      );
  }
  return program;
}

/** Everybody can create files in /var/tmp: throws if another user created the folder, or can write to it. */
async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(folder, { mode: 0o755 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  // A link is not followed.
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0)
    throw new Error(
      `${folder} belongs to another user, or others can write to it. Remove it, or set XDG_CACHE_HOME to a folder of your own.`,
    );
}

async function startEtcd(port: number, folder: string): Promise<PrivateService> {
  const peer = `http://127.0.0.1:${await findFreePort()}`;
  const client = `http://127.0.0.1:${port}`;
  return startPrivateService({
    name: 'etcd',
    port,
    logFile: join(folder, 'etcd.log'),
    // Stopped last, so its end removes the folder of all.
    temporary: folder,
    startLimitMs: 30_000,
    stopSteps,
    command: async () => ({
      command: 'etcd',
      args: [
        `--data-dir=${join(folder, 'etcd')}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=default=${peer}`,
      ],
    }),
    isReady: () =>
      fetch(`${client}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
}

interface NodeOptions {
  readonly name: string;
  readonly folder: string;
  readonly custom: string;
  readonly binDirectory: string;
  readonly sql: number;
  readonly rest: number;
  readonly etcdPort: number;
  readonly password: string;
}

async function startNode(
  patroni: string,
  account: Account | undefined,
  { name, folder, custom, binDirectory, sql, rest, etcdPort, password }: NodeOptions,
): Promise<PrivateService> {
  const data = join(folder, name, 'data');
  await mkdir(join(folder, name));
  if (account) await chown(join(folder, name), account.uid, account.gid);
  const configuration = join(folder, `${name}.yml`);
  const text = await readFile(join(deployFolder, 'patroni/patroni.yml'), 'utf8');
  await writeFile(
    configuration,
    text
      .replaceAll('10.0.0.0/24', '127.0.0.1/32')
      .replaceAll(/PASSWORD(?= \})/g, password)
      .replace('/var/lib/postgresql/tastegraph', data)
      .replace('/usr/lib/postgresql/15/bin', binDirectory)
      .replace('/etc/postgresql/tastegraph.conf', custom)
      .replace(/hosts: \[.*\]/, `hosts: ["127.0.0.1:${etcdPort}"]`)
      .replace('name: node1', `name: ${name}`)
      .replaceAll('10.0.0.1:8008', `127.0.0.1:${rest}`)
      .replaceAll('10.0.0.1:5432', `127.0.0.1:${sql}`),
    { mode: 0o600 },
  );
  if (account) await chown(configuration, account.uid, account.gid);
  return startPrivateService({
    name: `Patroni ${name}`,
    port: rest,
    logFile: join(folder, `${name}.log`),
    temporary: undefined,
    startLimitMs: longMs,
    stopSteps,
    command: async () => ({
      command: patroni,
      args: [configuration],
      account,
      env: { ...process.env, HOME: join(folder, name), PGPASSFILE: join(folder, name, 'pgpass') },
    }),
    isReady: () =>
      fetch(`http://127.0.0.1:${rest}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    killRest: () => killProcesses(data, account),
  });
}

async function startProxy(folder: string, ports: readonly { readonly sql: number; readonly rest: number }[]) {
  const readPort = await findFreePort();
  let text = (await readFile(join(deployFolder, 'patroni/haproxy.cfg'), 'utf8')).replace(
    '*:5001',
    `127.0.0.1:${readPort}`,
  );
  for (const [index, { sql, rest }] of ports.entries())
    text = text.replaceAll(`10.0.0.${index + 1}:5432 check port 8008`, `127.0.0.1:${sql} check port ${rest}`);
  const configuration = join(folder, 'haproxy.cfg');
  const service = await startPrivateService({
    name: 'HAProxy',
    port: undefined,
    logFile: join(folder, 'haproxy.log'),
    temporary: undefined,
    startLimitMs: 30_000,
    stopSteps,
    command: async (port) => {
      await writeFile(configuration, text.replace('*:5000', `127.0.0.1:${port}`));
      return { command: '/usr/sbin/haproxy', args: ['-db', '-f', configuration] };
    },
    isReady: async () => true,
  });
  return Object.assign(service, { readPort });
}
