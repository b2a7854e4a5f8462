import { chown, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceError } from '../processes/log.ts';
import { type Account, run } from '../processes/run.ts';
import type { NewCluster } from './cluster.ts';
import { type PostgresOptions, type PrivatePostgres, startCluster } from './start.ts';

/** Replicates from its primary and serves reads until it is promoted. It has the primary's password. */
export interface PrivateStandby extends PrivatePostgres {
  /** Returns when it accepts writes. */
  promote(): Promise<void>;
}

/** Enough to copy a few hundred megabytes, or to promote, on a busy machine. */
const LIMIT_MS = 120_000;

/** Starts a standby of a running primary. `name` can be listed in the primary's synchronous_standby_names. */
export async function startStandby(
  primary: PrivatePostgres,
  name: string,
  options: Pick<PostgresOptions, 'settings'> = {},
): Promise<PrivateStandby> {
  const { postgres, account } = await startCluster(
    { ...options, binaries: primary.binDirectory },
    {
      create: (cluster) => copyPrimary(primary, name, cluster),
      // 'standby' accepts read-only connections; 'ready' is for restart() after a promotion.
      readyStates: ['standby', 'ready'],
    },
  );
  const { dataDirectory, binDirectory } = postgres;
  const promote = () =>
    runTool(
      join(binDirectory, 'pg_ctl'),
      ['promote', '-D', dataDirectory, '--wait', `--timeout=${LIMIT_MS / 1000}`],
      account,
    );
  return Object.assign(postgres, { promote });
}

async function copyPrimary(
  primary: PrivatePostgres,
  name: string,
  { dataDirectory, binaries, account }: NewCluster,
): Promise<void> {
  const source = new URL(primary.url);
  source.searchParams.set('application_name', name);
  const draft = `${dataDirectory}.new`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  if (account) await chown(draft, account.uid, account.gid);
  try {
    await runTool(
      join(binaries.binDirectory, 'pg_basebackup'),
      // --write-recovery-conf makes it a standby of the primary.
      [
        `--dbname=${source.href}`,
        `--pgdata=${draft}`,
        '--write-recovery-conf',
        '--checkpoint=fast',
        '--no-sync',
      ],
      account,
    );
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  await rename(draft, dataDirectory);
}

async function runTool(tool: string, args: readonly string[], account: Account | undefined): Promise<void> {
  const { ok, reason, stdout, stderr } = await run(tool, args, { account, limitMs: LIMIT_MS });
  if (ok) return;
  const lines = `${stdout}${stderr}`.trim().split('\n').slice(-20);
  throw serviceError(`${tool} failed (${reason}).`, lines, 'fix the cause and start again.');
}
