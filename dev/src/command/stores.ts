import { join } from 'node:path';
import { BinariesMissingError } from '../postgres/binaries.ts';
import { startPostgres } from '../postgres/start.ts';
import type { Closers } from '../processes/closers.ts';
import { RedisMissingError, startRedis } from '../redis/start.ts';
import { type Container, isDockerRunning, startPostgresContainer, startRedisContainer } from './docker.ts';
import { shortPath, type Workplace } from './workplace.ts';

export interface Store {
  readonly url: string;
  /** For the person: which one it is and where its data lives. */
  readonly description: string;
}

export interface StoreSearch {
  /** The address the developer named, if any. */
  readonly givenUrl: string | undefined;
  readonly workplace: Workplace;
  readonly closers: Closers;
  readonly signal: AbortSignal;
}

// More than the services' own steps to an end, so that those do their work first.
const CLOSE_LIMIT_MS = 90_000;

export async function openPostgres({ givenUrl, workplace, closers, signal }: StoreSearch): Promise<Store> {
  if (givenUrl) return { url: givenUrl, description: 'the one of DATABASE_URL' };
  try {
    const dataDirectory = workplace.kept?.postgres;
    const postgres = await startPostgres(dataDirectory === undefined ? {} : { dataDirectory });
    closers.add({
      name: 'PostgreSQL',
      limitMs: CLOSE_LIMIT_MS,
      close: () => postgres.stop(),
      kill: () => postgres.kill(),
    });
    const place = dataDirectory === undefined ? 'nothing is kept' : `data in ${shortPath(dataDirectory)}`;
    return { url: postgres.url, description: `${postgres.version}, private, ${place}` };
  } catch (error) {
    if (!(error instanceof BinariesMissingError)) throw error;
    if (!(await isDockerRunning()))
      throw new Error(`${error.message} Docker would do too, or set DATABASE_URL.`);
  }
  const container = await startPostgresContainer(join(workplace.logDirectory, 'postgres.log'), signal);
  closeLater(closers, 'PostgreSQL', container);
  return { url: container.url, description: 'postgres:18 in Docker, nothing is kept' };
}

/** Undefined when there is none to be had: the server then keeps its limits in the process. */
export async function openRedis({
  givenUrl,
  workplace,
  closers,
  signal,
}: StoreSearch): Promise<Store | undefined> {
  if (givenUrl) return { url: givenUrl, description: 'the one of REDIS_URL' };
  try {
    const redis = await startRedis({ dataDirectory: workplace.logDirectory });
    closers.add({
      name: 'Redis',
      limitMs: CLOSE_LIMIT_MS,
      close: () => redis.stop(),
      kill: () => redis.kill(),
    });
    return { url: redis.url, description: 'private' };
  } catch (error) {
    if (!(error instanceof RedisMissingError)) throw error;
    if (!(await isDockerRunning())) return undefined;
  }
  const container = await startRedisContainer(join(workplace.logDirectory, 'redis.log'), signal);
  closeLater(closers, 'Redis', container);
  return { url: container.url, description: 'redis:8 in Docker' };
}

function closeLater(closers: Closers, name: string, container: Container): void {
  closers.add({ name, limitMs: CLOSE_LIMIT_MS, close: () => container.stop() });
}
