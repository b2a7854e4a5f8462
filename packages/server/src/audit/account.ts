import { type AccountContents, removeInOrder } from '../accounts/contents.ts';
import { affected, count } from '../kernel/postgres/statement.ts';

const countRows = count<[accountId: string]>(
  'count_audit_events_of_account',
  'SELECT count(*)::int FROM audit_events WHERE account_id = $1',
);

const removeRows = affected<[accountId: string, limit: number]>(
  'remove_account_audit_events',
  `DELETE FROM audit_events WHERE event_key = ANY (ARRAY(
      SELECT event_key FROM audit_events WHERE account_id = $1 LIMIT $2)) RETURNING event_key`,
);

export const account: AccountContents = {
  count: async (db, accountId) => ({ audit_events: await countRows(db, accountId) }),
  remove: removeInOrder({ audit_events: removeRows }),
};
