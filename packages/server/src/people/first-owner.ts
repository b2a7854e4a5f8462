import { createAccount } from '../accounts/create-account.ts';
import type { Services } from '../services.ts';
import { createPerson } from './create-person.ts';
import { isInstallationEmpty } from './rows/people.ts';

/** An arbitrary constant. The lock keeps two processes from creating the first person at the same time. */
const firstOwnerLock = 6_120_993_518n;

/**
 * On an empty database, creates an account with its owner and prints a link that signs them in. The link is printed on stderr and
 * not logged: logs are kept and read by others.
 */
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
