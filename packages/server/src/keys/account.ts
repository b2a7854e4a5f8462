import { type AccountContents, ownRows, removeInOrder } from '../accounts/contents.ts';
import { none } from '../kernel/postgres/statement.ts';

const { countRows, removeRows } = ownRows('api_keys', 'api_key');

const revokeKeys = none<[accountId: string]>(
  'revoke_keys_of_account',
  'UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE account_id = $1',
);

export const account: AccountContents = {
  count: async (db, accountId) => ({ keys: await countRows(db, accountId) }),
  stop: revokeKeys,
  remove: removeInOrder({ keys: removeRows }),
};
