import { deleteOrphanedObjects, insertOrphanedObjects } from '../../kernel/objects/orphaned-objects.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { affected, many, none, values } from '../../kernel/postgres/statement.ts';

/** An object that does not change. */
export interface StoredFile {
  readonly object_key: string;
  readonly size: number;
  readonly sha256: string;
}

/** A file of the decision log: answers of one project and day, sorted by ID. */
export interface DecisionFile extends StoredFile {
  readonly file_key: number;
  readonly project_key: number;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly first_id: string;
  readonly last_id: string;
  readonly answers: number;
}

export type NewDecisionFile = Omit<DecisionFile, 'file_key'>;

const columns = `f.file_key::float8 AS file_key, f.project_key, f.day, f.first_id, f.last_id, f.answers, f.object_key, f.size::float8 AS size,
  f.sha256`;

/** Those of the projects that exist, in their accounts. By the unique index on project_id. */
export const listProjectKeys = many<
  [projects: readonly { readonly account_id: string; readonly project_id: string }[]],
  { account_id: string; project_id: string; project_key: number }
>(
  'list_projects_of_decisions',
  `SELECT p.account_id, p.project_id, p.project_key FROM projects p
    JOIN unnest($1::text[], $2::text[]) AS asked (account_id, project_id) USING (account_id, project_id)`,
  (projects) => [projects.map(({ account_id }) => account_id), projects.map(({ project_id }) => project_id)],
);

/** Call it before the objects are written: they are removed after `seconds` unless rows refer to them by then. */
export const announceDecisionFiles = none<[objectKeys: readonly string[], seconds: number]>(
  'announce_decision_files',
  `INSERT INTO loose_objects (object_key, claimed_until)
    SELECT unnest($1::text[]), clock_timestamp() + $2 * interval '1 second'`,
);

/** Has announced files removed at once. Does nothing for files that rows refer to. */
export const abandonDecisionFiles = none<[objectKeys: readonly string[]]>(
  'abandon_decision_files',
  'UPDATE loose_objects SET claimed_until = NULL WHERE object_key = ANY($1)',
);

const insertKept = values<[files: string], string>(
  'insert_decision_files',
  `WITH new AS (
      SELECT * FROM json_to_recordset($1::json) AS r(project_key int, day int, first_id text, last_id text, answers int,
        object_key text, size bigint, sha256 text)
    ), kept AS (
      SELECT project_key FROM projects WHERE project_key IN (SELECT project_key FROM new) FOR KEY SHARE
    ) INSERT INTO decision_files (project_key, day, first_id, last_id, answers, object_key, size, sha256)
      SELECT * FROM new WHERE project_key IN (SELECT project_key FROM kept) RETURNING object_key`,
);

/** Files of projects that were deleted meanwhile become orphaned. Throws if an announced file was removed already. */
export async function insertDecisionFiles(tx: Queryable, files: readonly NewDecisionFile[]): Promise<void> {
  if (files.length === 0) return;
  const keys = files.map(({ object_key }) => object_key);
  await deleteOrphanedObjects(tx, keys);
  const inserted = new Set(await insertKept(tx, JSON.stringify(files)));
  const lost = keys.filter((key) => !inserted.has(key));
  if (lost.length > 0) await insertOrphanedObjects(tx, lost, undefined);
}

/** Marks batches as sorted and orphans them. Fails with a unique violation if one is already marked. */
export const insertSortedBatches = none<[objectKeys: readonly string[]]>(
  'insert_sorted_batches',
  `WITH orphaned AS (
      INSERT INTO loose_objects (object_key) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING
    ) INSERT INTO sorted_batches (object_key) SELECT unnest($1::text[])`,
);

export const listSortedBatches = values<[objectKeys: readonly string[]], string>(
  'list_sorted_batches',
  'SELECT object_key FROM sorted_batches WHERE object_key = ANY($1)',
);

/** Forgets batches whose objects were removed, after `seconds`: a worker may still be reading one. */
export const deleteSortedBatches = none<[seconds: number, limit: number]>(
  'delete_sorted_batches',
  `DELETE FROM sorted_batches WHERE object_key IN (SELECT s.object_key FROM sorted_batches s
      WHERE s.sorted_at < clock_timestamp() - $1 * interval '1 second'
        AND NOT EXISTS (SELECT FROM loose_objects l WHERE l.object_key = s.object_key)
      ORDER BY s.sorted_at LIMIT $2)`,
);

const listPlaces = values<[projectKeys: number[], days: number[], files: number, answers: number], number>(
  'list_crowded_days',
  `SELECT asked.place::int AS place FROM unnest($1::int[], $2::int[]) WITH ORDINALITY AS asked (project_key, day, place)
    WHERE (SELECT count(*) FROM decision_files f WHERE f.project_key = asked.project_key AND f.day = asked.day AND f.answers < $4) >= $3
    ORDER BY place`,
);
const daysPerStatement = 5000;

/** Those of the days that have at least `files` files with fewer than `answers` answers. By decision_files_by_day. */
export async function listCrowdedDays<Day extends Pick<DecisionFile, 'project_key' | 'day'>>(
  db: Queryable,
  days: readonly Day[],
  files: number,
  answers: number,
): Promise<Day[]> {
  const crowded: Day[] = [];
  for (let from = 0; from < days.length; from += daysPerStatement) {
    const some = days.slice(from, from + daysPerStatement);
    const [keys, numbers] = [some.map(({ project_key }) => project_key), some.map(({ day }) => day)];
    const places = await listPlaces(db, keys, numbers, files, answers);
    crowded.push(...places.flatMap((place) => some[place - 1] ?? []));
  }
  return crowded;
}

/** By decision_files_by_day. The caller has checked the account. */
export const listDecisionFiles = many<[projectKey: number, day: number], DecisionFile>(
  'list_decision_files_of_day',
  `SELECT ${columns} FROM decision_files f WHERE f.project_key = $1 AND f.day = $2 ORDER BY f.last_id, f.file_key`,
);

/** The files that may contain an answer: usually one. By decision_files_by_day. */
export const findDecisionFiles = many<
  [accountId: string, projectId: string, answer: { readonly day: number; readonly recommendationId: string }],
  DecisionFile
>(
  'find_decision_files',
  `SELECT ${columns} FROM decision_files f JOIN projects p USING (project_key)
    WHERE p.account_id = $1 AND p.project_id = $2 AND f.day = $3 AND f.last_id >= $4 AND f.first_id <= $4
    ORDER BY f.last_id`,
  (accountId, projectId, { day, recommendationId }) => [accountId, projectId, day, recommendationId],
);

const orphanFiles = values<[fileKeys: readonly number[]], string>(
  'delete_decision_files',
  `WITH removed AS (
      DELETE FROM decision_files WHERE file_key = ANY($1::bigint[]) RETURNING object_key
    ) INSERT INTO loose_objects (object_key) SELECT object_key FROM removed ON CONFLICT DO NOTHING RETURNING object_key`,
);

/** Orphans the files. Throws if one was replaced meanwhile, so that no answer is kept twice or comes back. */
export async function deleteDecisionFiles(tx: Queryable, fileKeys: readonly number[]): Promise<string[]> {
  const removed = await orphanFiles(tx, fileKeys);
  if (removed.length < fileKeys.length) throw new Error('a file of the decision log was replaced meanwhile');
  return removed;
}

/** Orphans files of days before `beforeDay`, oldest first. By decision_files_by_age. Safe to run concurrently. */
export const expireDecisionFiles = affected<[beforeDay: number, limit: number]>(
  'expire_decision_files',
  `WITH old AS (
      DELETE FROM decision_files WHERE file_key IN (
        SELECT file_key FROM decision_files WHERE day < $1 ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING object_key
    ) INSERT INTO loose_objects (object_key) SELECT object_key FROM old ON CONFLICT DO NOTHING RETURNING object_key`,
);

/** Orphans attributions of events before `beforeDay`. Their outcomes stay. By attribution_files_by_age. */
export const expireAttributionFiles = affected<[beforeDay: number, limit: number]>(
  'expire_attribution_files',
  `WITH old AS (
      DELETE FROM attribution_files WHERE object_key IN (
        SELECT object_key FROM attribution_files WHERE event_day < $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING object_key
    ) INSERT INTO loose_objects (object_key) SELECT object_key FROM old ON CONFLICT DO NOTHING RETURNING object_key`,
);

/** The account's next files, by key. */
export const listNextDecisionFiles = many<
  [accountId: string, afterKey: number, limit: number],
  DecisionFile & { readonly project_id: string }
>(
  'find_next_decision_file',
  `SELECT ${columns}, p.project_id FROM decision_files f JOIN projects p USING (project_key)
    WHERE p.account_id = $1 AND f.file_key > $2 ORDER BY f.file_key LIMIT $3`,
);
