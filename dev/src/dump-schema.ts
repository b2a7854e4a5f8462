import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { disposable } from './postgres/settings.ts';
import { startPostgres } from './postgres/start.ts';

/**
 * Writes packages/server/schema.sql, the schema after all migrations. With `--check`, only fails if the file is stale.
 * Uses PostgreSQL 15, the oldest version that we support, because the format of dumps differs between versions.
 */
const file = new URL('../../packages/server/schema.sql', import.meta.url);
const server = new URL('../../packages/server/tastegraph-server', import.meta.url).pathname;
const run = promisify(execFile);

await using postgres = await startPostgres({ binaries: '15', settings: disposable });
await run(server, ['migrate'], { env: { ...process.env, DATABASE_URL: postgres.url } });
// The partitions are 96 copies of their parents.
const flags = ['--schema-only', '--no-owner', '--no-privileges', '--exclude-table=*_p[0-9][0-9]'];
// The schema of pg-boss is not ours.
flags.push('--exclude-schema=pgboss');
const { stdout } = await run(`${postgres.binDirectory}/pg_dump`, [...flags, postgres.url]);
const schema = tidy(stdout);

if (!process.argv.includes('--check')) {
  await writeFile(file, schema);
} else if ((await readFile(file, 'utf8').catch(() => '')) !== schema) {
  console.error('packages/server/schema.sql is stale: run "npm run schema" and commit the result.');
  process.exitCode = 1;
}

/** Removes what differs between dumps: versions, session settings and the random restrict key. */
function tidy(dump: string): string {
  const lines = dump
    .split('\n')
    .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict)/.test(line));
  return `-- Generated from the migrations; do not edit.\n\n${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}
