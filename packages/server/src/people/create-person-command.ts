import type { AdminCommand } from '../module.ts';
import { createPerson, parseRole } from './create-person.ts';

/** `admin create-person`: gives a person a role in an account, with a link that signs them in. */
export const createPersonCommand: AdminCommand = async (db, { requireFlag, flags }, config) => {
  const email = requireFlag('email');
  const role = parseRole(flags.role ?? 'OWNER');
  const person = { accountId: requireFlag('account'), email, name: flags.name ?? email, role };
  return db.transaction((tx) => createPerson(tx, config.baseUrl, person));
};
