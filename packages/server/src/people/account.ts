import { type AccountContents, removeInOrder } from '../accounts/contents.ts';
import { affected, count } from '../kernel/postgres/statement.ts';

const countRows = count<[accountId: string]>(
  'count_memberships_of_account',
  'SELECT count(*)::int FROM memberships WHERE account_id = $1',
);

const removeRows = affected<[accountId: string, limit: number]>(
  'remove_account_people',
  `DELETE FROM memberships WHERE account_id = $1 AND person_id = ANY (ARRAY(
      SELECT person_id FROM memberships WHERE account_id = $1 LIMIT $2)) RETURNING person_id`,
);

export const account: AccountContents = {
  count: async (db, accountId) => ({ people: await countRows(db, accountId) }),
  remove: removeInOrder({ people: removeRows }),
};
