import type { TaskStep } from '../module.ts';
import type { Services } from '../services.ts';
import { deleteOldItemChanges } from './rows/item-changes.ts';

/** A row has up to 1000 IDs, about 20 kB, so the transaction stays short. */
const rowsPerStep = 500;

/** Removes old entries of the list of changed items. */
export function purgeItemChanges({ db }: Pick<Services, 'db'>): TaskStep {
  return async () => {
    return (await deleteOldItemChanges(db, rowsPerStep)) === rowsPerStep;
  };
}
