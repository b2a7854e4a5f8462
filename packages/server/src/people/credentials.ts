import type { Queryable } from '../kernel/postgres/pool.ts';
import { deleteIdentities } from './rows/identities.ts';
import { lockPeople, updatePasswords } from './rows/people.ts';
import { deleteLinksOf, deleteSessionsOf } from './rows/sessions.ts';

/** Ends everything that opens the console for these people, in the transaction that gives them another credential or none. */
export async function endCredentials(tx: Queryable, personIds: readonly string[]): Promise<void> {
  await lockPeople(tx, personIds);
  await updatePasswords(tx, personIds, null);
  await deleteIdentities(tx, personIds);
  await deleteLinksOf(tx, personIds);
  await deleteSessionsOf(tx, personIds);
}
