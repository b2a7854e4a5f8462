import type { ObjectStore } from '../kernel/objects/store.ts';
import type { Queryable, Transaction } from '../kernel/postgres/pool.ts';
import { affected, count } from '../kernel/postgres/statement.ts';

/** Numbers of rows by kind, in the words of the operator. */
export type Counts = Readonly<Record<string, number>>;

/** What a module has of an account: how it is counted, stopped and removed. */
export interface AccountContents {
  readonly count?: (db: Queryable, accountId: string) => Promise<Counts>;
  /** Ends at once what must not go on: keys, jobs, deployments. */
  readonly stop?: (tx: Queryable, accountId: string) => Promise<void>;
  /** Removes at most `limit` rows; undefined if none are left. `waits`: other workers must first finish what was removed before. */
  readonly remove?: (
    tx: Transaction,
    accountId: string,
    limit: number,
  ) => Promise<Counts | 'waits' | undefined>;
  /** Removes objects that no row refers to. Called when no rows are left; no transaction is open. */
  readonly removeFiles?: (
    store: Pick<ObjectStore, 'list' | 'delete'>,
    accountId: string,
    signal: AbortSignal,
  ) => Promise<void>;
}

/** The rows of a table that has an index on account_id: how many an account has, and what removes some of them. */
export function ownRows(table: string, key: string) {
  return {
    countRows: count<[accountId: string]>(
      `count_${table}_of_account`,
      `SELECT count(*)::int FROM ${table} WHERE account_id = $1`,
    ),
    removeRows: affected<[accountId: string, limit: number]>(
      `remove_account_${table}`,
      `DELETE FROM ${table} WHERE ${key} = ANY (ARRAY(
        SELECT ${key} FROM ${table} WHERE account_id = $1 LIMIT $2)) RETURNING ${key}`,
    ),
  };
}

/** Removes the first kind that the account still has. The files of rows become orphaned; a worker removes them. */
export function removeInOrder(
  kinds: Readonly<Record<string, (tx: Queryable, accountId: string, limit: number) => Promise<number>>>,
): NonNullable<AccountContents['remove']> {
  return async (tx, accountId, limit) => {
    for (const [kind, remove] of Object.entries(kinds)) {
      const removed = await remove(tx, accountId, limit);
      if (removed > 0) return { [kind]: removed };
    }
    return undefined;
  };
}
