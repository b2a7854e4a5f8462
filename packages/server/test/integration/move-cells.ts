import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findFreePort } from '@tastegraph/dev';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { openObjectStore } from '../../src/storage/objects/open.ts';
import { cloneDatabase } from './database.ts';
import { runSql } from './run-sql.ts';
import { startServer, thisMain } from './server-process.ts';

/** What `admin` needs of a cell. */
export interface AdminCell {
  readonly env: Readonly<Record<string, string>>;
  /** Its settings as a file, which --to names. */
  readonly envFile: string;
}

/** A cell of one process, for tests that move accounts to another one. */
export interface MoveCell extends AdminCell {
  readonly name: string;
  readonly baseUrl: string;
  readonly databaseUrl: string;
}

export async function startMoveCell(name: string, all: AsyncDisposableStack): Promise<MoveCell> {
  const database = await cloneDatabase();
  all.defer(() => database.drop());
  const folder = await mkdtemp(join(tmpdir(), 'tastegraph-move-'));
  all.defer(() => rm(folder, { recursive: true, force: true }));
  const env = {
    CELL: name,
    DATABASE_URL: database.url,
    REDIS_URL: inject('redisUrl'),
    OBJECTS_URL: pathToFileURL(join(folder, 'objects')).href,
    PORT: String(await findFreePort()),
    SERVING_BASE_URL: 'https://api.example.com',
    TRAINING_THREADS: '1',
    SERVING_DEADLINE_MS: '5000',
  };
  const envFile = join(folder, 'env');
  await writeEnv(envFile, env);
  const server = all.use(await startServer('all-in-one', env));
  return { name, baseUrl: server.baseUrl, databaseUrl: database.url, env, envFile };
}

export async function writeEnv(file: string, env: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(env).map(([setting, value]) => `${setting}=${value}\n`);
  await writeFile(file, lines.join(''), { mode: 0o600 });
}

/** Runs `admin move-account` or another command with the settings of a cell. */
export function startAdmin(cell: AdminCell, ...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [thisMain, 'admin', ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...cell.env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (text: Buffer) => {
    stdout += text.toString();
  });
  child.stderr?.on('data', (text: Buffer) => {
    stderr += text.toString();
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((settle) => {
    child.on('close', (code) => settle({ code, stdout, stderr }));
  });
  return { child, ended, stderr: () => stderr };
}

export const moveArgs = (accountId: string, to: AdminCell) => [
  'move-account',
  '--account',
  accountId,
  '--to',
  to.envFile,
];

export async function move(accountId: string, from: AdminCell, to: AdminCell, ...more: string[]) {
  const { code, stdout, stderr } = await startAdmin(from, ...moveArgs(accountId, to), ...more).ended;
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as {
    status: string;
    records: number;
    refused_seconds: number;
    moved_keys: { api_key: string }[];
  };
}

export const storeOf = (cell: AdminCell) =>
  openObjectStore({ kind: 'folder', root: fileURLToPath(cell.env['OBJECTS_URL'] ?? '') });

/**
 * Starts a move, and stops it: while it copies records for the first time, when it has copied objects and 30 users, but no events; or while
 * it copies tables, when changes are refused.
 */
export async function startHeldMove(
  accountId: string,
  from: AdminCell,
  to: MoveCell,
  during: 'records' | 'tables' = 'records',
) {
  const [table, printed] =
    during === 'records' ? ['events', 'Copied 30 records'] : ['webhooks', 'refused until'];
  const holder = new pg.Client({ connectionString: to.databaseUrl });
  // The database may be dropped before it ends, if an assertion fails.
  holder.on('error', () => undefined);
  await holder.connect();
  // In a mode without a transaction number, since both databases are in one cluster here.
  await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
  const moving = startAdmin(from, ...moveArgs(accountId, to), '--yes');
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tastegraph move-account'
    AND wait_event_type = 'Lock'`;
  await expect
    .poll(async () => [(await runSql(to.databaseUrl, waiting)).length, moving.stderr()], { timeout: 30_000 })
    .toEqual([1, expect.stringContaining(printed)]);
  return { ...moving, release: () => holder.end() };
}
