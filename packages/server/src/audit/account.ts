import { type AccountContents, ownRows, removeInOrder } from '../accounts/contents.ts';

const { countRows, removeRows } = ownRows('audit_events', 'event_key');

export const account: AccountContents = {
  count: async (db, accountId) => ({ audit_events: await countRows(db, accountId) }),
  remove: removeInOrder({ audit_events: removeRows }),
};
