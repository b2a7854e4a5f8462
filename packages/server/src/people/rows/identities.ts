import type { Queryable } from '../../kernel/postgres/pool.ts';
import { none, statement, value } from '../../kernel/postgres/statement.ts';

/** The person whom a provider knows by this subject. By primary key. */
export const findIdentity = value<[issuer: string, subject: string], string>(
  'find_identity',
  'SELECT person_id FROM identities WHERE issuer = $1 AND subject = $2',
);

const lockStatement = statement(
  'lock_person_for_identity',
  'SELECT person_id FROM people WHERE email = $1 FOR UPDATE',
);

const listStatement = statement(
  'list_identities',
  'SELECT issuer, subject FROM identities WHERE person_id = $1',
);

const insertStatement = statement(
  'insert_identity',
  'INSERT INTO identities (issuer, subject, person_id) VALUES ($1, $2, $3)',
);

/**
 * Connects the invited person with this email, in lower case. Undefined if there is none, or one who is connected with another
 * identity. Locks the person: of concurrent sign-ins with the same email, the first connects.
 */
export async function insertIdentity(
  tx: Queryable,
  email: string,
  issuer: string,
  subject: string,
): Promise<string | undefined> {
  const [person] = await tx.rows<{ person_id: string }>(lockStatement, [email]);
  if (!person) return undefined;
  const { person_id } = person;
  const [known] = await tx.rows<{ issuer: string; subject: string }>(listStatement, [person_id]);
  if (known) return known.issuer === issuer && known.subject === subject ? person_id : undefined;
  await tx.rows(insertStatement, [issuer, subject, person_id]);
  return person_id;
}

/** So that the next sign-in is matched by email again. Uses identities_by_person. */
export const deleteIdentitiesOf = none<[personId: string]>(
  'delete_identities',
  'DELETE FROM identities WHERE person_id = $1',
);
