import { type AccountContents, removeInOrder } from '../accounts/contents.ts';
import { affected, count } from '../kernel/postgres/statement.ts';

const countRows = count<[accountId: string]>(
  'count_erasures_of_account',
  'SELECT count(*)::int FROM erasures WHERE account_id = $1',
);

const removeRows = affected<[accountId: string, limit: number]>(
  'remove_account_erasures',
  `DELETE FROM erasures WHERE erasure_id = ANY (ARRAY(
      SELECT erasure_id FROM erasures WHERE account_id = $1 LIMIT $2)) RETURNING erasure_id`,
);

export const account: AccountContents = {
  count: async (db, accountId) => ({ erasures: await countRows(db, accountId) }),
  remove: removeInOrder({ erasures: removeRows }),
};
