import { emailPattern, type Role, roles } from '@tastegraph/contract';
import { accountNotFound, createAccount } from '../accounts/create-account.ts';
import { ApiError } from '../http/api-error.ts';
import { newId } from '../http/ids.ts';
import type { Transaction } from '../kernel/postgres/pool.ts';
import type { AdminCommand } from '../module.ts';
import type { Services } from '../services.ts';
import { endCredentials } from './credentials.ts';
import { createLink } from './links.ts';
import { isInstallationEmpty, upsertPerson } from './rows/people.ts';
import { normalizeEmail } from './sign-in.ts';

interface NewPerson {
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

/**
 * The only way into an account. Gives a person a role in it and a one-time link, which replaces their other credentials. Whoever is not in
 * the account is a new person with a new ID, wherever else the email is in use: an email is no proof.
 */
export async function createPerson(
  tx: Transaction,
  baseUrl: string,
  { email: given, ...person }: NewPerson,
  { keepsAccess = false } = {},
) {
  const email = normalizeEmail(given);
  if (!new RegExp(emailPattern, 'u').test(email))
    throw new ApiError('INVALID_REQUEST', `"${email}" is not an email address.`);
  const personId = await upsertPerson(tx, newId('person'), { ...person, email });
  if (personId === undefined) throw accountNotFound(person.accountId);
  if (!keepsAccess) await endCredentials(tx, [personId]);
  return { person_id: personId, email, role: person.role, ...(await createLink(tx, baseUrl, personId)) };
}

function parseRole(text: string): Role {
  const role = roles.find((each) => each === text.toUpperCase());
  if (role) return role;
  throw new ApiError('INVALID_REQUEST', `"${text}" is not a role. The roles are: ${roles.join(', ')}.`);
}

/** `admin create-person`: gives a person a role in an account, with a link that signs them in. */
export const createPersonCommand: AdminCommand = async (db, { requireFlag, flags }, config) => {
  const email = requireFlag('email');
  const role = parseRole(flags.role ?? 'OWNER');
  const person = { accountId: requireFlag('account'), email, name: flags.name ?? email, role };
  return db.transaction((tx) => createPerson(tx, config.baseUrl, person));
};

/** An arbitrary constant. The lock keeps two processes from creating the first person at the same time. */
const firstOwnerLock = 6_120_993_518n;

/** On an empty database, creates an account, and prints a link for its owner on stderr: logs are kept and read by others. */
export async function inviteFirstOwner({ config, role, controlDb: db, log }: Services): Promise<void> {
  if (role !== 'api' && role !== 'all-in-one') return;
  const { ownerEmail: email } = config.console;
  try {
    if (email === undefined || !(await isInstallationEmpty(db))) return;
    const invited = await db.transaction(async (tx) => {
      await tx.lock(firstOwnerLock, 'exclusive');
      if (!(await isInstallationEmpty(tx))) return undefined;
      const { account_id: accountId } = await createAccount(tx, 'main', 'default');
      return createPerson(tx, config.baseUrl, { accountId, email, name: 'Owner', role: 'OWNER' });
    });
    if (!invited) return;
    log.info({ email }, 'created the first account and its owner');
    process.stderr.write(`Open this link within 24 hours to sign in as the owner:\n${invited.link}\n`);
  } catch (error) {
    // The process works without; the operator can run `admin create-person`.
    log.warn({ err: error }, 'failed to create the first account and its owner');
  }
}
