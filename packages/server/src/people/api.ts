import { limits, type Response, type Role } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { listKeyedPage } from '../http/pages.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { presentKey } from '../keys/manage-keys.ts';
import { listKeysMadeBy } from '../keys/rows.ts';
import type { Services } from '../services.ts';
import { createPerson } from './create-person.ts';
import {
  countMembers,
  deletePerson,
  findMember,
  findMemberByEmail,
  listMembers,
  type MemberRow,
  updateRole,
} from './rows/people.ts';
import { normalizeEmail } from './sign-in.ts';

const person = (row: MemberRow): Response<'getPerson'> => ({
  person_id: row.person_id,
  email: row.email,
  name: row.name,
  role: row.role,
  created_ts: row.created_ts,
  last_used_ts: row.last_used_ts,
});

/** `baseUrl`: where sign-in links lead to. */
export const api = ({ config: { baseUrl } }: Pick<Services, 'config'>) =>
  ({
    invitePerson: async (call, request) => {
      const { link, link_expires_ts, ...row } = await invitePerson(call, baseUrl, request);
      return { ...person(row), link, link_expires_ts };
    },
    getPerson: async (call, { person_id }) => person(await requireMember(call.db, call.accountId, person_id)),
    listPeople: async (call, request) => {
      const { items, ...page } = await listKeyedPage(call, request, {
        name: 'people',
        start: '',
        tokenKeys: { encode: (id: string) => Buffer.from(id), decode: (bytes: Buffer) => bytes.toString() },
        keyOf: (row: MemberRow) => row.person_id,
        present: person,
        rows: (after, size) => listMembers(call.db, call.accountId, after, size),
      });
      return { people: items, ...page };
    },
    updatePerson: async (call, { person_id, role }) => person(await updatePerson(call, person_id, role)),
    removePerson: async (call, { person_id }) => removePerson(call, person_id),
  }) as const satisfies Handlers;

async function invitePerson(
  { db, accountId, callerId }: Context,
  baseUrl: string,
  person: { email: string; name: string; role: Role },
) {
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await findMemberByEmail(tx, accountId, normalizeEmail(person.email));
    await requireOwnerLeft(tx, accountId, before, person.role);
    // Whoever invites themselves needs their session to read the link. It ends when they open it.
    const keepsAccess = before?.person_id === callerId;
    const { person_id, link, link_expires_ts } = await createPerson(
      tx,
      baseUrl,
      { ...person, accountId },
      { keepsAccess },
    );
    const { people } = await countMembers(tx, accountId);
    if (people > limits.peoplePerAccount)
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `An account has at most ${limits.peoplePerAccount} people. Remove those who no longer need it.`,
      );
    return { ...(await requireMember(tx, accountId, person_id)), link, link_expires_ts };
  });
}

async function updatePerson({ db, accountId }: Context, personId: string, role: Role): Promise<MemberRow> {
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    await requireOwnerLeft(tx, accountId, await requireMember(tx, accountId, personId), role);
    await updateRole(tx, personId, role);
    return requireMember(tx, accountId, personId);
  });
}

/** Their credentials end with them; the keys that they created are somebody's program, so they are listed. */
async function removePerson({ db, accountId }: Context, personId: string): Promise<Response<'removePerson'>> {
  return db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const member = await requireMember(tx, accountId, personId);
    await requireOwnerLeft(tx, accountId, member, undefined);
    await deletePerson(tx, personId);
    return { ...person(member), api_keys: (await listKeysMadeBy(tx, accountId, personId)).map(presentKey) };
  });
}

async function requireMember(db: Queryable, accountId: string, personId: string): Promise<MemberRow> {
  const member = await findMember(db, accountId, personId);
  if (!member) throw notFound('Person', personId);
  return member;
}

/** An account without an owner could no longer be managed from the console. */
async function requireOwnerLeft(
  tx: Queryable,
  accountId: string,
  before: MemberRow | undefined,
  role: Role | undefined,
): Promise<void> {
  if (before?.role !== 'OWNER' || role === 'OWNER') return;
  const { owners } = await countMembers(tx, accountId);
  if (owners > 1) return;
  throw new ApiError(
    'LAST_OWNER',
    `\`${before.email}\` is the last owner of the account. Make somebody else an owner first.`,
  );
}
