import { type Duck, readFiles, withDuck } from '../kernel/files/duckdb.ts';
import { downloadObjects } from '../kernel/files/local-files.ts';
import { batchPrefix, batchTimes } from '../outcomes/log/keys.ts';
import { duckOptions } from '../outcomes/log/sort-batches.ts';
import {
  type DecisionsContext,
  publishDecisionFiles,
  writeDecisionFiles,
} from '../outcomes/log/write-files.ts';
import {
  type DecisionFile,
  deleteDecisionFiles,
  listNextDecisionFiles,
  listSortedBatches,
} from '../outcomes/rows/decision-files.ts';
import { hasDeployments, type RunningErasure, saveErasureStep } from './rows.ts';

/** Files per step, of a few megabytes each. */
const filesPerStep = 20;
/** Serving processes write an answer within this time. */
const writtenMs = 5000;

/** Whether answers from before the records were deleted may be on their way into files: not yet written, or not sorted. */
export async function hasEarlierBatches(
  { db, store, stopping }: DecisionsContext,
  { account_id, records_deleted_ts }: RunningErasure,
): Promise<boolean> {
  const deletedTs = records_deleted_ts ?? Date.now();
  if (Date.now() < deletedTs + writtenMs && (await hasDeployments(db, account_id))) return true;
  // Oldest first: if there is an earlier batch, it is on the first page.
  const { objects } = await store.list(batchPrefix, { signal: stopping });
  const earlier = objects.flatMap(({ key }) => {
    const times = batchTimes(key);
    return times && times.firstTs <= deletedTs ? [key] : [];
  });
  return (await listSortedBatches(db, earlier)).length < earlier.length;
}

/** Rewrites the account's next files without the answers to the user. False if there is none left. */
export async function eraseDecisions(context: DecisionsContext, erasure: RunningErasure): Promise<boolean> {
  const { db, store, stopping } = context;
  const files = await listNextDecisionFiles(db, erasure.account_id, erasure.position, filesPerStep);
  if (files.length === 0) return false;
  await withDuck(duckOptions, async (duck) => {
    for (const file of files) {
      const { object_key, size, sha256 } = file;
      const expected = [{ object_key, expect: { size, sha256 } }];
      const options = { mustExist: false, signal: stopping };
      const [copy] = await downloadObjects(store, duck.folder, expected, options);
      // A missing file was merged with others, which come later.
      if (copy) await eraseFrom(context, erasure, duck, { ...file, path: copy.path });
    }
  });
  return true;
}

async function eraseFrom(
  context: DecisionsContext,
  erasure: RunningErasure,
  duck: Duck,
  file: DecisionFile & { readonly project_id: string; readonly path: string },
): Promise<void> {
  const { file_key, project_id, project_key, day } = file;
  const answers = readFiles([file.path]);
  const user = { user: erasure.user_id };
  const [found] = await duck.rows<{ count: number }>(
    `SELECT count(*)::DOUBLE AS count FROM ${answers} WHERE user_id = $user`,
    user,
  );
  const count = found?.count ?? 0;
  const step = { position: file_key, kind: 'DECISIONS', where: project_id, count };
  if (count === 0) {
    await saveErasureStep(context.db, erasure, step);
    return;
  }
  await duck.run(
    `CREATE OR REPLACE TABLE rest AS SELECT * FROM ${answers} WHERE user_id IS DISTINCT FROM $user`,
    user,
  );
  const { account_id } = erasure;
  const days = [{ account_id, project_id, project_key, day, first: 0, answers: file.answers - count }];
  const rewritten = await writeDecisionFiles(context, duck, { table: 'rest', columns: '*', days });
  await publishDecisionFiles(context, rewritten, async (tx) => {
    const objectKeys = await deleteDecisionFiles(tx, [file_key]);
    await saveErasureStep(tx, erasure, { ...step, objectKeys });
  });
}
