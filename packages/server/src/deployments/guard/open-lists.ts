import type { Queryable } from '../../kernel/postgres/pool.ts';
import { rankerFactor } from '../../serving/call/question-call.ts';
import type { LoadedModel } from '../../serving/models/loaded-model.ts';
import type { KnownUser, ServedProject } from '../../serving/rows/serving-reads.ts';
import { rank } from '../../serving/search/rank.ts';
import { findRecordedItems } from '../rows/guard-reads.ts';

/** Items per statement. */
const batchSize = 1000;

/**
 * Returns the IDs that a call without rules recommends from the models' catalogue: items that have a record, in the order of the
 * ranker if there is one. Items that are newer than the model come last in a call, and are left out here.
 */
export async function openLists(
  db: Queryable,
  project: ServedProject,
  { generator, ranker }: { generator: LoadedModel; ranker: LoadedModel | undefined },
  length: number,
): Promise<(user: KnownUser) => string[]> {
  const { itemIds } = generator;
  const hasRecord = new Uint8Array(itemIds.length);
  for (let from = 0; from < itemIds.length; from += batchSize) {
    const batch = itemIds.slice(from, from + batchSize);
    const recorded = await findRecordedItems(db, project, batch);
    for (const [place, id] of batch.entries()) if (recorded.has(id)) hasRecord[from + place] = 1;
  }
  const masked = (item: number) => hasRecord[item] === 0;
  const n = ranker ? length * rankerFactor : length;
  return (user) => {
    const found = generator.scorer
      .recommend(generator.userOf(user), { n, masked })
      .map(({ item }) => ({ id: itemIds[item] ?? '' }));
    const ordered = ranker ? rank(ranker, ranker.userOf(user), found, ({ id }) => id) : found;
    return ordered.slice(0, length).map(({ id }) => id);
  };
}
