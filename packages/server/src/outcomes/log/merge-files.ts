import { readFiles, withDuck } from '../../kernel/files/duckdb.ts';
import { downloadObjects } from '../../kernel/files/local-files.ts';
import { deleteDecisionFiles, listDecisionFiles } from '../rows/decision-files.ts';
import { duckOptions } from './sort-batches.ts';
import {
  type DecisionsContext,
  type ProjectDay,
  publishDecisionFiles,
  writeDecisionFiles,
} from './write-files.ts';

/** Smaller files are merged once a day has so many of them. */
export const smallAnswers = 25_000;
export const maxSmallFiles = 16;

/**
 * Merges the small files of a project's day if there are many, so that a day has few files whatever the traffic. Fails,
 * and changes nothing, if a file is replaced meanwhile.
 */
export async function mergeSmallFiles(context: DecisionsContext, day: ProjectDay): Promise<void> {
  const { db, store, stopping } = context;
  const files = await listDecisionFiles(db, day.project_key, day.day);
  const small = files.filter(({ answers }) => answers < smallAnswers);
  if (small.length < maxSmallFiles) return;
  await withDuck(duckOptions, async (duck) => {
    const copies = await downloadObjects(
      store,
      duck.folder,
      small.map(({ object_key, size, sha256 }) => ({ object_key, expect: { size, sha256 } })),
      { mustExist: true, signal: stopping },
    );
    const paths = copies.map(({ path }) => path);
    await duck.run(`CREATE TABLE merged AS SELECT * FROM ${readFiles(paths)} ORDER BY recommendation_id`);
    const answers = small.reduce((sum, { answers }) => sum + answers, 0);
    const days = [{ ...day, first: 0, answers }];
    const merged = await writeDecisionFiles(context, duck, { table: 'merged', columns: '*', days });
    const replaced = small.map(({ file_key }) => file_key);
    await publishDecisionFiles(context, merged, async (tx) => {
      await deleteDecisionFiles(tx, replaced);
    });
  });
}
