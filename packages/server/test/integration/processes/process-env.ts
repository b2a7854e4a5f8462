import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

/** The settings of processes that share a database, Redis and a folder of objects, which is removed with `cell`. */
export async function shareEnv(
  cell: AsyncDisposableStack,
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const objects = cell.use(await mkdtempDisposable(join(tmpdir(), 'tastegraph-objects-')));
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: inject('redisUrl'),
    OBJECTS_URL: pathToFileURL(objects.path).href,
    TRAINING_THREADS: '1',
    ...settings,
  };
}
