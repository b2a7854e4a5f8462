import type { Queryable, Statement } from './pool.ts';

const findStatement: Statement = {
  name: 'find_identity',
  text: 'SELECT person_id FROM identities WHERE issuer = $1 AND subject = $2',
};

/** The person whom a provider knows by this subject. By primary key. */
export async function findIdentity(
  db: Queryable,
  issuer: string,
  subject: string,
): Promise<string | undefined> {
  const [row] = await db.rows<{ person_id: string }>(findStatement, [issuer, subject]);
  return row?.person_id;
}

const lockStatement: Statement = {
  name: 'lock_person_for_identity',
  text: 'SELECT person_id FROM people WHERE email = $1 FOR UPDATE',
};

const listStatement: Statement = {
  name: 'list_identities',
  text: 'SELECT issuer, subject FROM identities WHERE person_id = $1',
};

const insertStatement: Statement = {
  name: 'insert_identity',
  text: 'INSERT INTO identities (issuer, subject, person_id) VALUES ($1, $2, $3)',
};

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

const deleteStatement: Statement = {
  name: 'delete_identities',
  text: 'DELETE FROM identities WHERE person_id = $1',
};

/** So that the next sign-in is matched by email again. Uses identities_by_person. */
export async function deleteIdentitiesOf(tx: Queryable, personId: string): Promise<void> {
  await tx.rows(deleteStatement, [personId]);
}
