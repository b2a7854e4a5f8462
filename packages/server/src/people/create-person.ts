import { emailPattern, type Role, roles } from '@tastegraph/contract';
import { accountNotFound } from '../accounts/create-account.ts';
import { ApiError } from '../http/api-error.ts';
import { newId } from '../http/ids.ts';
import type { Transaction } from '../kernel/postgres/pool.ts';
import { createLink } from './links.ts';
import { deleteIdentitiesOf } from './rows/identities.ts';
import { findOrInsertPerson, updatePassword, upsertMembership } from './rows/people.ts';
import { deleteSessionsOf } from './rows/sessions.ts';
import { normalizeEmail } from './sign-in.ts';

export interface NewPerson {
  readonly accountId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

export interface CreatedPerson {
  readonly person_id: string;
  readonly email: string;
  readonly role: Role;
  readonly link: string;
  readonly link_expires_ts: number;
}

/**
 * For the operator: gives a person a role in an account, and a one-time link to sign in. A person who so far belonged to other
 * accounts has to sign in by that link: an owner of those may have chosen their password or still have a link of theirs.
 */
export async function createPerson(
  tx: Transaction,
  baseUrl: string,
  { accountId, email: given, name, role }: NewPerson,
): Promise<CreatedPerson> {
  const email = normalizeEmail(given);
  if (!new RegExp(emailPattern, 'u').test(email))
    throw new ApiError('INVALID_REQUEST', `"${email}" is not an email address.`);
  const { person, isNew } = await findOrInsertPerson(tx, { person_id: newId('person'), email, name });
  const { person_id } = person;
  const isNewMember = await upsertMembership(tx, accountId, person_id, role);
  if (isNewMember === undefined) throw accountNotFound(accountId);
  if (isNewMember && !isNew) {
    await updatePassword(tx, person_id, null);
    await deleteSessionsOf(tx, person_id);
  }
  await deleteIdentitiesOf(tx, person_id);
  return { person_id, email, role, ...(await createLink(tx, baseUrl, person_id)) };
}

export function parseRole(text: string): Role {
  const role = roles.find((each) => each === text.toUpperCase());
  if (role) return role;
  throw new ApiError('INVALID_REQUEST', `"${text}" is not a role. The roles are: ${roles.join(', ')}.`);
}
