import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startPostgres, startRedis } from '@tastegraph/dev';
import { migrate } from '../../../src/processes/migrate.ts';
import { makeCredentials } from '../stack/caller.ts';
import { startServer } from '../stack/server-process.ts';

/**
 * Everything of one cell, on the host that this process runs on: PostgreSQL, Redis and one process per role. Its data stay in
 * `folder`, so that it can be started there again. Prints "ready", and runs until it is killed.
 */
const [folder = '', cell = '', front = '', proxy = ''] = process.argv.slice(2);
const postgres = await startPostgres({
  binaries: process.env['TEST_POSTGRES'] ?? 'auto',
  dataDirectory: join(folder, 'postgres'),
  port: 5432,
});
const redis = await startRedis({ dataDirectory: join(folder, 'redis'), port: 6379 });
await migrate(postgres.url);
const credentials = join(folder, 'credentials.json');
const isNew = await access(credentials).then(
  () => false,
  () => true,
);
if (isNew) await writeFile(credentials, JSON.stringify(await makeCredentials(postgres.url, cell)));
const env = {
  CELL: cell,
  DATABASE_URL: postgres.url,
  REDIS_URL: redis.url,
  OBJECTS_URL: pathToFileURL(join(folder, 'objects')).href,
  HOST: '0.0.0.0',
  BASE_URL: front,
  TRUST_PROXY: proxy,
  TRAINING_THREADS: '1',
  // Shows which calls are answered, not how fast a busy machine is.
  SERVING_DEADLINE_MS: '5000',
};
await Promise.all([
  startServer('api', { ...env, PORT: '8080' }),
  startServer('serving', { ...env, PORT: '8090' }),
  startServer('worker', env),
]);
console.log('ready');
