import { type AccountContents, ownRows, removeInOrder } from '../accounts/contents.ts';
import { endCredentials } from './credentials.ts';
import { listMemberIds } from './rows/people.ts';

const { countRows, removeRows } = ownRows('people', 'person_id');

export const account: AccountContents = {
  count: async (db, accountId) => ({ people: await countRows(db, accountId) }),
  stop: async (tx, accountId) => endCredentials(tx, await listMemberIds(tx, accountId)),
  remove: removeInOrder({ people: removeRows }),
};
