import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { none, one, value } from '../../kernel/postgres/statement.ts';
import type { Counts } from '../contents.ts';

interface AccountDeletion {
  readonly account_id: string;
  readonly requested_ts: number;
  readonly finished_ts: number | null;
  readonly removed: Counts;
}

export const findAccountDeletion = one<[accountId: string], AccountDeletion>(
  'find_account_deletion',
  `SELECT account_id, ${epochMs('requested_at')} AS requested_ts, ${epochMs('finished_at')} AS finished_ts, removed
    FROM account_deletions WHERE account_id = $1`,
);

/** Nothing if the account does not exist. */
export const insertAccountDeletion = none<[accountId: string]>(
  'insert_account_deletion',
  `INSERT INTO account_deletions (account_id) SELECT account_id FROM accounts WHERE account_id = $1
    ON CONFLICT DO NOTHING`,
);

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

/** Only the receipt remains. Fails with a foreign key violation if a late call added something meanwhile. */
export const finishAccountDeletion = none<[accountId: string]>(
  'finish_account_deletion',
  `WITH removed AS (DELETE FROM accounts WHERE account_id = $1)
    UPDATE account_deletions SET finished_at = clock_timestamp() WHERE account_id = $1`,
);
