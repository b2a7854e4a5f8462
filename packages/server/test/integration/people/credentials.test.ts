import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAccount } from '../../../src/accounts/create-account.ts';
import { startAccountDeletion } from '../../../src/accounts/delete-account.ts';
import { ApiError } from '../../../src/http/api-error.ts';
import type { Context } from '../../../src/http/context.ts';
import type { Database } from '../../../src/kernel/postgres/pool.ts';
import { createRateLimit } from '../../../src/kernel/redis/token-bucket.ts';
import { account as people } from '../../../src/people/account.ts';
import { api } from '../../../src/people/api.ts';
import { redeemLink } from '../../../src/people/links.ts';
import { OidcError, startProvenSession } from '../../../src/people/oidc/sign-in-with-provider.ts';
import { openSessionTokens } from '../../../src/people/session-tokens.ts';
import { type Session, Sessions } from '../../../src/people/sessions.ts';
import { setPassword, signIn } from '../../../src/people/sign-in.ts';
import { tokenOf } from '../stack/browser.ts';
import { openOwnDatabase } from '../stack/database.ts';
import { select } from '../stack/kinds.ts';

const emails = ['anna@example.com', 'bob@example.com'] as const;
const passwords = ['the first long password', 'the second long password'] as const;
const address = '10.0.0.1';

/** A person as they should be. What is not here must open nothing. */
interface Expected {
  readonly account: string;
  readonly email: string;
  link: string | undefined;
  password: string | undefined;
  subject: string | undefined;
}

/** Everything that was ever given to anybody, and what of it should still work. */
class World {
  readonly people = new Map<string, Expected>();
  readonly accounts: string[];
  readonly links: string[] = [];
  /** The people of each session, and the session as a process may have cached it. */
  readonly sessions: { readonly session: Session; readonly opens: Set<string>; readonly isFresh: boolean }[] =
    [];
  readonly #removed = new Set<string>();
  readonly #db: Database;
  readonly #context: Parameters<typeof signIn>[0];
  readonly #api = api({ config: { baseUrl: 'http://localhost' } as never });

  constructor(db: Database, sessions: Sessions, accounts: string[]) {
    const limit = createRateLimit(undefined, { name: 'test', limit: 1e6, seconds: 1, timeoutMs: 500 });
    const signInLimits = {
      failuresOfPair: limit,
      failuresOfEmail: limit,
      failuresOfAddress: limit,
      failuresOfDevice: limit,
    };
    this.#db = db;
    this.#context = { db, sessions, signInLimits };
    this.accounts = accounts;
  }

  async invite(accountId: string, email: string): Promise<void> {
    const { person_id, link } = await this.#api.invitePerson(this.#owner(accountId), {
      email,
      name: 'x',
      role: 'VIEWER',
    });
    const before = this.#find(accountId, email);
    if (before) expect(person_id).toBe(before);
    else expect(this.#removed).not.toContain(person_id);
    this.#close(person_id);
    const token = tokenOf(link);
    this.links.push(token);
    const nothing = { password: undefined, subject: undefined };
    this.people.set(person_id, { account: accountId, email, link: token, ...nothing });
  }

  async redeem(token: string): Promise<void> {
    const [id, person] = [...this.people].find(([, { link }]) => link === token) ?? [];
    const started = await tokenFrom(redeemLink(this.#context, { token, address }));
    if (!id || !person) {
      expect(started).toBeUndefined();
      return;
    }
    this.#close(id);
    Object.assign(person, { link: undefined, password: undefined, subject: undefined });
    await this.#opened(started, [id], true);
  }

  async signIn(email: string, password: string): Promise<void> {
    const ids = this.#those((person) => person.email === email && person.password === password);
    await this.#opened(
      await tokenFrom(signIn(this.#context, { email, password, address, device: undefined })),
      ids,
    );
  }

  async signInWithProvider(subject: string, email: string): Promise<void> {
    const invited = this.#those((person) => person.email === email && person.subject === undefined);
    for (const id of invited) {
      this.#close(id);
      Object.assign(this.people.get(id) ?? {}, { subject, link: undefined, password: undefined });
    }
    const ids = this.#those((person) => person.subject === subject);
    const identity = { issuer: 'https://provider.example', subject, verifiedEmail: email };
    await this.#opened(await tokenFrom(startProvenSession(this.#context, identity)), ids);
  }

  async setPassword(number: number, currentPassword: string, password: string): Promise<void> {
    const held = this.sessions[number % Math.max(1, this.sessions.length)];
    if (!held) return;
    const live = [...held.opens].map((id) => [id, this.people.get(id)?.password] as const);
    const needsProof = !held.isFresh && live.some(([, known]) => known !== undefined);
    const isProven = !needsProof || live.some(([, known]) => known === currentPassword);
    const ids = live.flatMap(([id, known]) =>
      isProven && (held.isFresh || known === undefined || known === currentPassword) ? [id] : [],
    );
    const started = await tokenFrom(
      setPassword(this.#context, held.session, { password, currentPassword, address }),
    );
    for (const id of ids) {
      this.#close(id);
      Object.assign(this.people.get(id) ?? {}, { password, link: undefined });
    }
    await this.#opened(started, ids);
  }

  async remove(accountId: string, email: string): Promise<void> {
    const person_id = this.#find(accountId, email);
    if (person_id === undefined) return;
    await this.#api.removePerson(this.#owner(accountId), { person_id });
    this.#forget(person_id);
  }

  /** The account's name goes to a new one. Workers may have removed the old rows by now, or not. */
  async deleteAccount(accountId: string, isCleared: boolean): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await startAccountDeletion(tx, [people], accountId);
      if (isCleared) await people.remove?.(tx, accountId, 100);
    });
    for (const id of this.#those((person) => person.account === accountId)) this.#forget(id);
    const { account_id } = await createAccount(this.#db, 'test', 'default');
    this.accounts[this.accounts.indexOf(accountId)] = account_id;
  }

  /** Sessions open whom they should, and nothing else is left that opens anybody. */
  async check(): Promise<void> {
    this.#context.sessions.forgetAll();
    for (const { session, opens } of this.sessions) {
      const found = await this.#context.sessions.find(session.token);
      expect(new Set(found?.people.map(({ person_id }) => person_id))).toEqual(opens);
    }
    const left = await select<{ person_id: string }>(
      this.#db,
      `SELECT person_id, password_hash IS NOT NULL AS password, subject, l.token_hash IS NOT NULL AS link
        FROM people LEFT JOIN identities USING (person_id) LEFT JOIN sign_in_links l USING (person_id)
        WHERE coalesce(password_hash, subject, l.token_hash::text) IS NOT NULL`,
      [],
    );
    const expected = [...this.people].flatMap(([person_id, { password, subject = null, link }]) =>
      [password, link, subject ?? undefined].every((each) => each === undefined)
        ? []
        : [{ person_id, password: password !== undefined, subject, link: link !== undefined }],
    );
    expect(new Set(left)).toEqual(new Set(expected));
  }

  #owner(accountId: string): Context {
    return { db: this.#db, accountId, callerId: 'tg_test' } as Context;
  }

  #those(matches: (person: Expected) => boolean): string[] {
    return [...this.people].flatMap(([id, person]) => (matches(person) ? [id] : []));
  }

  #find(account: string, email: string): string | undefined {
    return this.#those((person) => person.account === account && person.email === email)[0];
  }

  #close(id: string): void {
    for (const { opens } of this.sessions) opens.delete(id);
  }

  #forget(id: string): void {
    this.#close(id);
    this.people.delete(id);
    this.#removed.add(id);
  }

  async #opened(token: string | undefined, ids: readonly string[], isFresh = false): Promise<void> {
    expect(token !== undefined, 'whether the credential was accepted').toBe(ids.length > 0);
    const session = await this.#context.sessions.find(token);
    if (session) this.sessions.push({ session, opens: new Set(ids), isFresh });
  }
}

/** Undefined if it is refused. */
async function tokenFrom(started: Promise<string>): Promise<string | undefined> {
  return started.catch((error: unknown) => {
    if (error instanceof ApiError || error instanceof OidcError) return undefined;
    throw error;
  });
}

type Step = (world: World) => Promise<void>;

const number = fc.nat(20);
const account = fc.nat(1).map((n) => (world: World) => world.accounts[n] ?? '');
const email = fc.constantFrom(...emails);
const password = fc.constantFrom(...passwords);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(account, email).map(
      ([of, to]): Step =>
        (world) =>
          world.invite(of(world), to),
    ),
  },
  {
    weight: 5,
    arbitrary: number.map(
      (n): Step =>
        async (world) => {
          const link = world.links[world.links.length - 1 - (n % Math.max(1, world.links.length))];
          if (link !== undefined) await world.redeem(link);
        },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(number, password, password).map(
      ([n, ...both]): Step =>
        (world) =>
          world.setPassword(n, ...both),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(email, password).map(
      ([of, text]): Step =>
        (world) =>
          world.signIn(of, text),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('anna', 'bob', 'successor'), email).map(
      ([subject, of]): Step =>
        (world) =>
          world.signInWithProvider(subject, of),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(account, email).map(
      ([of, to]): Step =>
        (world) =>
          world.remove(of(world), to),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(account, fc.boolean()).map(
      ([of, isCleared]): Step =>
        (world) =>
          world.deleteAccount(of(world), isCleared),
    ),
  },
);

test('no credential from before ever opens what came after, in any order of invitations, removals and sign-ins', async () => {
  await using own = await openOwnDatabase();
  const { db } = own;
  const hours = 3_600_000;
  const tokens = await openSessionTokens(db);
  const sessions = new Sessions(db, tokens, { idleMs: hours, maxMs: hours, writesUse: false });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24, size: 'max' }), async (steps) => {
      await db.rows({ name: '', text: 'DELETE FROM people' }, []);
      const ids = [await createAccount(db, 'test', 'default'), await createAccount(db, 'test', 'default')];
      const world = new World(
        db,
        sessions,
        ids.map(({ account_id }) => account_id),
      );
      for (const each of steps) {
        await each(world);
        await world.check();
      }
      for (const link of world.links) await world.redeem(link);
      await world.check();
    }),
    { numRuns: 40, plugins: [fc.interruptAfterTimeLimit(6000)], endOnFailure: false },
  );
}, 60_000);
