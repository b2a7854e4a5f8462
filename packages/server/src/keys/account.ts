import { type AccountContents, removeInOrder } from '../accounts/contents.ts';
import { affected, count, none } from '../kernel/postgres/statement.ts';

const countRows = count<[accountId: string]>(
  'count_api_keys_of_account',
  'SELECT count(*)::int FROM api_keys WHERE account_id = $1',
);

const revokeKeys = none<[accountId: string]>(
  'revoke_keys_of_account',
  'UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE account_id = $1',
);

const removeRows = affected<[accountId: string, limit: number]>(
  'remove_account_keys',
  `DELETE FROM api_keys WHERE api_key = ANY (ARRAY(
      SELECT api_key FROM api_keys WHERE account_id = $1 LIMIT $2)) RETURNING api_key`,
);

export const account: AccountContents = {
  count: async (db, accountId) => ({ keys: await countRows(db, accountId) }),
  stop: revokeKeys,
  remove: removeInOrder({ keys: removeRows }),
};
