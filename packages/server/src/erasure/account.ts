import { type AccountContents, ownRows, removeInOrder } from '../accounts/contents.ts';

const { countRows, removeRows } = ownRows('erasures', 'erasure_id');

export const account: AccountContents = {
  count: async (db, accountId) => ({ erasures: await countRows(db, accountId) }),
  remove: removeInOrder({ erasures: removeRows }),
};
