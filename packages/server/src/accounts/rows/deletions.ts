import type { Queryable } from '../../kernel/postgres/pool.ts';
import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { none, one, statement, statementPer, value } from '../../kernel/postgres/statement.ts';
import { modelObjects } from '../../projects/rows/models.ts';

/** Counts by kind: what an account has, or what was removed. */
export type AccountContents = Readonly<Record<string, number>>;

interface AccountDeletion {
  readonly account_id: string;
  readonly requested_ts: number;
  readonly finished_ts: number | null;
  readonly removed: AccountContents;
}

/** Undefined if the account does not exist. */
export const surveyAccount = one<[accountId: string], AccountContents>(
  'survey_account',
  `SELECT (SELECT count(*) FROM api_keys k WHERE k.account_id = a.account_id)::int AS keys,
      (SELECT count(*) FROM projects p WHERE p.account_id = a.account_id)::int AS projects,
      (SELECT count(*) FROM projects p JOIN models USING (project_key) WHERE p.account_id = a.account_id)::int AS models,
      (SELECT count(*) FROM jobs j WHERE j.account_id = a.account_id)::int AS jobs,
      (SELECT count(*) FROM datasets d WHERE d.account_id = a.account_id)::int AS datasets,
      (SELECT coalesce(sum(c.record_count), 0) FROM datasets d JOIN dataset_counts c USING (dataset_key)
        WHERE d.account_id = a.account_id)::float8 AS records,
      (SELECT count(*) FROM erasures e WHERE e.account_id = a.account_id)::int AS erasures,
      (SELECT count(*) FROM memberships m WHERE m.account_id = a.account_id)::int AS people,
      (SELECT count(*) FROM audit_events v WHERE v.account_id = a.account_id)::int AS audit_events
    FROM accounts a WHERE a.account_id = $1`,
);

export const findAccountDeletion = one<[accountId: string], AccountDeletion>(
  'find_account_deletion',
  `SELECT account_id, ${epochMs('requested_at')} AS requested_ts, ${epochMs('finished_at')} AS finished_ts, removed
    FROM account_deletions WHERE account_id = $1`,
);

const requestStatement = statement(
  'request_account_deletion',
  `WITH revoked AS (
      UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE account_id = $1
    ), canceled AS (
      UPDATE jobs SET job_status = 'CANCELED', finished_at = clock_timestamp()
        WHERE account_id = $1 AND job_status IN ('PENDING', 'RUNNING')
    ) DELETE FROM deployments d USING projects p WHERE d.project_key = p.project_key AND p.account_id = $1`,
);

const insertStatement = statement(
  'insert_account_deletion',
  `INSERT INTO account_deletions (account_id) SELECT account_id FROM accounts WHERE account_id = $1
    ON CONFLICT DO NOTHING`,
);

/** Revokes the API keys, cancels jobs and removes deployments. Workers then remove the rest. */
export async function requestAccountDeletion(tx: Queryable, accountId: string): Promise<void> {
  // First: what is deleted may be changed, also if it was moved to another cell.
  await tx.rows(insertStatement, [accountId]);
  await tx.rows(requestStatement, [accountId]);
}

/** The next account to delete after this one, locked for the transaction. */
export const claimAccountDeletion = value<[after: string], string>(
  'claim_account_deletion',
  `SELECT account_id FROM account_deletions WHERE finished_at IS NULL AND account_id > $1
    ORDER BY account_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
);

/** Call it in the transaction that removed them. */
export const addRemovedCount = none<[accountId: string, kind: string, count: number]>(
  'note_account_deletion',
  `UPDATE account_deletions SET removed = removed
      || jsonb_build_object($2::text, coalesce((removed->>$2::text)::float8, 0) + $3::float8) WHERE account_id = $1`,
);

/** For a table of a project's files. */
const removeFiles = (table: string) => `WITH removed AS (
      DELETE FROM ${table} WHERE object_key = ANY (ARRAY(
        SELECT f.object_key FROM projects p JOIN ${table} f USING (project_key) WHERE p.account_id = $1 LIMIT $2))
      RETURNING object_key
    ), orphaned AS (
      INSERT INTO loose_objects (object_key) SELECT object_key FROM removed ON CONFLICT DO NOTHING
    ) SELECT object_key FROM removed`;

/** Each deletes at most $2 rows of an account and returns one row per deletion. */
const removals = statementPer('remove_account', {
  jobs: `WITH removed AS (
      DELETE FROM jobs WHERE job_key = ANY (ARRAY(
        SELECT job_key FROM jobs WHERE account_id = $1 ORDER BY job_key LIMIT $2)) RETURNING job_key, job_result
    ), orphaned AS (
      INSERT INTO loose_objects (object_key)
        SELECT file->>'object_key' FROM removed, jsonb_array_elements(removed.job_result->'files') AS file
        ON CONFLICT DO NOTHING
    ) SELECT job_key FROM removed`,
  deployments: `DELETE FROM deployments WHERE project_key = ANY (ARRAY(
      SELECT d.project_key FROM projects p JOIN deployments d USING (project_key) WHERE p.account_id = $1 LIMIT $2))
    RETURNING project_key`,
  models: `WITH removed AS (
      DELETE FROM models WHERE model_key = ANY (ARRAY(
        SELECT m.model_key FROM projects p JOIN models m USING (project_key) WHERE p.account_id = $1 LIMIT $2)) RETURNING *
    ), orphaned AS (
      INSERT INTO loose_objects (object_key) ${modelObjects('removed')} ON CONFLICT DO NOTHING
    ) SELECT model_key FROM removed`,
  decision_files: removeFiles('decision_files'),
  attribution_files: removeFiles('attribution_files'),
  algorithms: `DELETE FROM algorithms WHERE algorithm_key = ANY (ARRAY(
      SELECT g.algorithm_key FROM projects p JOIN algorithms g USING (project_key) WHERE p.account_id = $1 LIMIT $2))
    RETURNING algorithm_key`,
  erasures: `DELETE FROM erasures WHERE erasure_id = ANY (ARRAY(
      SELECT erasure_id FROM erasures WHERE account_id = $1 LIMIT $2)) RETURNING erasure_id`,
  audit_events: `DELETE FROM audit_events WHERE event_key = ANY (ARRAY(
      SELECT event_key FROM audit_events WHERE account_id = $1 LIMIT $2)) RETURNING event_key`,
  people: `DELETE FROM memberships WHERE account_id = $1 AND person_id = ANY (ARRAY(
      SELECT person_id FROM memberships WHERE account_id = $1 LIMIT $2)) RETURNING person_id`,
  keys: `DELETE FROM api_keys WHERE api_key = ANY (ARRAY(
      SELECT api_key FROM api_keys WHERE account_id = $1 LIMIT $2)) RETURNING api_key`,
});

type RemovedKind = keyof typeof removals;

/** Returns how many rows it deleted. The files of jobs and models become orphaned; a worker removes them. */
export async function removeBatch(
  tx: Queryable,
  accountId: string,
  kind: RemovedKind,
  limit: number,
): Promise<number> {
  return (await tx.rows(removals[kind], [accountId, limit])).length;
}

export const findAnyProject = value<[accountId: string], string>(
  'find_project_of_deleted_account',
  'SELECT project_id FROM projects WHERE account_id = $1 ORDER BY project_key DESC LIMIT 1',
);

interface AnyDataset {
  readonly dataset_id: string;
  readonly kind: 'user' | 'item' | 'event';
  /** Workers are purging its records. */
  readonly is_deleted: boolean;
}

/** Prefers a dataset that is not deleted. */
export const findAnyDataset = one<[accountId: string], AnyDataset>(
  'find_dataset_of_deleted_account',
  `SELECT dataset_id, kind, deleted_at IS NOT NULL AS is_deleted FROM datasets WHERE account_id = $1
    ORDER BY deleted_at IS NOT NULL, dataset_key LIMIT 1`,
);

/**
 * Removes the account; only the receipt remains. Fails with a foreign key violation if a late call added something
 * meanwhile.
 */
export const finishAccountDeletion = none<[accountId: string]>(
  'finish_account_deletion',
  `WITH removed AS (DELETE FROM accounts WHERE account_id = $1)
    UPDATE account_deletions SET finished_at = clock_timestamp() WHERE account_id = $1`,
);
