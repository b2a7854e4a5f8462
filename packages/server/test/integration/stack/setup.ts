import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { disposable, startPostgres, startRedis } from '@tastegraph/dev';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../../src/processes/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Name of the template that every test file's database is cloned from. */
    readonly templateUrl: string;
    readonly redisUrl: string;
    /** Deleted at the end with all that the tests left in it. */
    readonly folder: string;
  }
}

/**
 * One real, private PostgreSQL and Redis for all files. TEST_POSTGRES selects the PostgreSQL: a major version, or a
 * folder of binaries.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Tests that stop PostgreSQL have their own, with the settings of production.
  const postgres = await startPostgres({
    binaries: process.env['TEST_POSTGRES'] ?? 'auto',
    settings: disposable,
  });
  const redis = await startRedis({});
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('CREATE DATABASE tastegraph_template');
  await client.end();
  const templateUrl = new URL(postgres.url);
  templateUrl.pathname = '/tastegraph_template';
  await migrate(templateUrl.href);
  project.provide('templateUrl', templateUrl.href);
  project.provide('redisUrl', redis.url);
  const folder = await mkdtemp(join(tmpdir(), 'tastegraph-tests-'));
  project.provide('folder', folder);
  console.log(`integration tests run on PostgreSQL ${postgres.version}`);
  return async () => {
    await redis.stop();
    await postgres.stop();
    // A worker that is ending may still write.
    await rm(folder, { recursive: true, maxRetries: 10 });
  };
}
