import { join } from 'node:path';
import { BinariesMissingError } from '../postgres/binaries.ts';
import { disposable } from '../postgres/settings.ts';
import { startPostgres } from '../postgres/start.ts';
import type { Closers } from '../processes/closers.ts';
import { RedisMissingError, startRedis } from '../redis/start.ts';
import { type Container, isDockerRunning, startPostgresContainer, startRedisContainer } from './docker.ts';
import { shortPath, type Workspace } from './workspace.ts';

export interface Store {
  readonly url: string;
  /** For the user: which store it is and where its data is. */
  readonly description: string;
}

export interface StoreOptions {
  /** The URL from the environment, if any. */
  readonly configuredUrl: string | undefined;
  readonly workspace: Workspace;
  readonly closers: Closers;
  readonly signal: AbortSignal;
}

// Longer than the services' own stop steps, so that those finish first.
const CLOSE_LIMIT_MS = 90_000;

export async function openPostgres({
  configuredUrl,
  workspace,
  closers,
  signal,
}: StoreOptions): Promise<Store> {
  if (configuredUrl) return { url: configuredUrl, description: 'from DATABASE_URL' };
  try {
    const dataDirectory = workspace.persistent?.postgres;
    const postgres = await startPostgres(
      dataDirectory === undefined ? { settings: disposable } : { dataDirectory },
    );
    addCloser(closers, 'PostgreSQL', postgres);
    const place =
      dataDirectory === undefined ? 'data is deleted at the end' : `data in ${shortPath(dataDirectory)}`;
    return { url: postgres.url, description: `${postgres.version}, private, ${place}` };
  } catch (error) {
    if (!(error instanceof BinariesMissingError)) throw error;
    if (!(await isDockerRunning()))
      throw new Error(`${error.message} Alternatively, start Docker or set DATABASE_URL.`);
  }
  const container = await startPostgresContainer(join(workspace.logDirectory, 'postgres.log'), signal);
  addCloser(closers, 'PostgreSQL', container);
  return { url: container.url, description: 'postgres:18 in Docker, data is deleted at the end' };
}

/** Undefined if there is no Redis: the server then applies rate limits per process. */
export async function openRedis({
  configuredUrl,
  workspace,
  closers,
  signal,
}: StoreOptions): Promise<Store | undefined> {
  if (configuredUrl) return { url: configuredUrl, description: 'from REDIS_URL' };
  try {
    const redis = await startRedis({ dataDirectory: workspace.logDirectory });
    addCloser(closers, 'Redis', redis);
    return { url: redis.url, description: 'private' };
  } catch (error) {
    if (!(error instanceof RedisMissingError)) throw error;
    if (!(await isDockerRunning())) return undefined;
  }
  const container = await startRedisContainer(join(workspace.logDirectory, 'redis.log'), signal);
  addCloser(closers, 'Redis', container);
  return { url: container.url, description: 'redis:8 in Docker' };
}

function addCloser(closers: Closers, name: string, store: Container & { kill?(): Promise<void> }): void {
  closers.add({ name, limitMs: CLOSE_LIMIT_MS, close: () => store.stop(), kill: () => store.kill?.() });
}
