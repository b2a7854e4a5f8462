import { many, none, values } from '../../kernel/postgres/statement.ts';

/** Whom a provider knows by this subject, and who has this email: they may be invited. Uses identities_by_subject and people_by_email. */
export const listPeopleOfIdentity = values<
  [issuer: string, subject: string, email: string | undefined],
  string
>(
  'list_people_of_identity',
  `SELECT person_id FROM identities WHERE issuer = $1 AND subject = $2
    UNION SELECT person_id FROM people WHERE email = $3`,
  (issuer, subject, email) => [issuer, subject, email ?? null],
);

/** By primary key. The caller has locked the people. */
export const listIdentities = many<
  [personIds: readonly string[]],
  { readonly person_id: string; readonly issuer: string; readonly subject: string }
>('list_identities', 'SELECT person_id, issuer, subject FROM identities WHERE person_id = ANY($1::text[])');

export const insertIdentities = none<[issuer: string, subject: string, personIds: readonly string[]]>(
  'insert_identities',
  'INSERT INTO identities (issuer, subject, person_id) SELECT $1, $2, unnest($3::text[])',
);

export const deleteIdentities = none<[personIds: readonly string[]]>(
  'delete_identities',
  'DELETE FROM identities WHERE person_id = ANY($1::text[])',
);
