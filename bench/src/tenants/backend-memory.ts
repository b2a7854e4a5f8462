import { readFile } from 'node:fs/promises';
import type pg from 'pg';

/** The memory of the largest PostgreSQL backend of the service, without what backends share. */
export async function largestBackendBytes(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'tastegraph' AND backend_type = 'client backend'",
  );
  return Math.max(0, ...(await Promise.all(rows.map(({ pid }) => ownBytes(pid)))));
}

/** 0 if the process has ended. */
async function ownBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss_Anon:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024;
}
