import { limits } from '@tastegraph/contract';
import { stepRows } from '../datasets/records/delete-records.ts';
import { deleteEntities } from '../datasets/rows/entities.ts';
import { deleteUserEvents } from '../datasets/rows/events.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { type ErasureRow, endStage, findErasure, findNextDataset, saveErasureStep } from './rows.ts';

/**
 * Deletes the user's records dataset by dataset, in short transactions, until none is left or `isOver`. Returns the current
 * erasure. All state is in its row, which is read before each dataset, so that callers and workers may run this concurrently.
 */
export async function eraseRecords(
  db: Database,
  started: ErasureRow,
  isOver: () => boolean,
): Promise<ErasureRow> {
  for (;;) {
    const erasure = (await findErasure(db, started.account_id, started.erasure_id)) ?? started;
    const { user_id } = erasure;
    if (user_id === null || erasure.stage !== 'RECORDS' || isOver()) return erasure;
    const dataset = await findNextDataset(db, erasure);
    if (!dataset) {
      await endStage(db, erasure, 'RECORDS');
      continue;
    }
    const { dataset_key, dataset_id: where } = dataset;
    if (dataset.kind === 'user') {
      await db.transaction(async (tx) => {
        const { length: count } = await deleteEntities(tx, dataset, [user_id]);
        await saveErasureStep(tx, erasure, { position: dataset_key, kind: 'USERS', where, count });
      });
      continue;
    }
    for (let fromTs: number | undefined = limits.tsMax; fromTs !== undefined && !isOver(); ) {
      const from: number = fromTs;
      fromTs = await db.transaction(async (tx) => {
        const { deleted: count, reachedTs } = await deleteUserEvents(tx, dataset, user_id, from, stepRows);
        const position = reachedTs === undefined ? dataset_key : erasure.position;
        await saveErasureStep(tx, erasure, { position, kind: 'EVENTS', where, count });
        return reachedTs;
      });
    }
  }
}
