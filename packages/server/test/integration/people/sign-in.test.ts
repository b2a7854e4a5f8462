import { consolePaths } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { endCredentials } from '../../../src/people/credentials.ts';
import { Browser, invite, openedWith, signedIn, tokenOf } from '../stack/browser.ts';
import { api, caller, ownProduct, problem } from '../stack/stack.ts';

// Each test sends from its own address, so that failures of one do not count for another.
ownProduct({ TRUST_PROXY: 'loopback' });

const password = 'correct horse battery staple';
let addresses = 0;
const fromNewAddress = () => ({ 'x-forwarded-for': `10.1.0.${(addresses += 1)}` });

/** A person who has chosen the password, and their browser. */
async function personWithPassword() {
  const { email, link, person_id } = await invite(api, caller.accountId, 'VIEWER');
  const browser = await openedWith(link, api);
  const { status } = await browser.post(consolePaths.setPassword, { password });
  expect(status).toBe(200);
  return { email, personId: person_id, browser };
}

describe('a one-time link', () => {
  test('signs in and returns the person, their accounts and a CSRF token', async () => {
    const { link, person_id, email } = await invite(api, caller.accountId, 'EDITOR');
    const browser = new Browser(api.baseUrl);
    const { status, body, headers } = await browser.redeem(link);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      person: { name: 'Person', email },
      accounts: [{ account_id: caller.accountId, name: 'test', role: 'EDITOR', person_id }],
    });
    expect(headers.get('cache-control')).toBe('no-store');
    const again = await browser.session();
    expect(again.body.csrf_token).toBe(body.csrf_token);
    expect(again.body.expires_at).toBeGreaterThan(Date.now());
  });

  test('works once, even for concurrent calls', async () => {
    const { link } = await invite(api, caller.accountId, 'VIEWER');
    const answers = await Promise.all(Array.from({ length: 8 }, () => new Browser(api.baseUrl).redeem(link)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 401)]);
    const replayed = await new Browser(api.baseUrl).redeem(link);
    expect(replayed).toMatchObject(problem(401, 'UNAUTHENTICATED'));
  });

  test('does not work after it expired, or after a newer one was created', async () => {
    const first = await invite(api, caller.accountId, 'VIEWER');
    const second = await invite(api, caller.accountId, 'VIEWER', first.email);
    expect(await new Browser(api.baseUrl).redeem(first.link)).toMatchObject({ status: 401 });
    await api.rows("UPDATE sign_in_links SET expires_at = now() - interval '1 s' WHERE person_id = $1", [
      second.person_id,
    ]);
    expect(await new Browser(api.baseUrl).redeem(second.link)).toMatchObject({ status: 401 });
  });

  test('is stored as a hash, as is the session', async () => {
    const { link, person_id } = await invite(api, caller.accountId, 'VIEWER');
    const token = tokenOf(link);
    const rows = () =>
      api.rows<{ found: string }>(
        `SELECT concat(p::text, l::text, s::text, encode(l.token_hash, 'escape'), encode(s.token_hash, 'escape')) AS found
          FROM people p LEFT JOIN sign_in_links l USING (person_id) LEFT JOIN console_sessions s USING (person_id)
          WHERE person_id = $1`,
        [person_id],
      );
    const browser = new Browser(api.baseUrl);
    const before = JSON.stringify(await rows());
    await browser.redeem(link);
    const after = JSON.stringify(await rows());
    const sessionToken = browser.cookie?.split('=')[1] ?? '';
    expect(sessionToken.length).toBeGreaterThan(40);
    for (const secret of [token, sessionToken]) expect(before + after).not.toContain(secret);
  });
});

describe('a password', () => {
  test('signs in, with any case of the email, in any browser', async () => {
    const { email } = await personWithPassword();
    const browser = new Browser(api.baseUrl);
    expect(await browser.signIn(email.toUpperCase(), password)).toMatchObject({ status: 200 });
    expect(await browser.ask('listProjects')).toMatchObject({ status: 200 });
  });

  test('must have 12 to 256 characters', async () => {
    const browser = await signedIn(api, caller.accountId, 'VIEWER');
    for (const [length, status] of [
      [11, 400],
      [257, 400],
      [256, 200],
    ] as const) {
      const chosen = { password: 'x'.repeat(length) };
      expect(await browser.post(consolePaths.setPassword, chosen)).toMatchObject({ status });
    }
  });

  test('is changed only by one who knows it, and that ends all other sessions', async () => {
    const { email, personId, browser } = await personWithPassword();
    const other = new Browser(api.baseUrl);
    await other.signIn(email, password);
    const next = { password: 'another long password' };
    const address = fromNewAddress();
    const change = (given: object = {}) =>
      browser.post(consolePaths.setPassword, { ...next, ...given }, address);
    const refused = await change({ current_password: 'wrong' });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: 'current_password' }] } });
    expect(await change()).toMatchObject({ status: 400 });
    const changed = await change({ current_password: password });
    expect(changed).toMatchObject({ status: 200, body: { accounts: [{ person_id: personId }] } });
    expect(await other.session()).toMatchObject({ status: 401 });
    expect(await browser.session()).toMatchObject({ status: 200 });
    const signIn = (text: string) => new Browser(api.baseUrl).signIn(email, text, address);
    expect(await signIn(password)).toMatchObject({ status: 401 });
    expect(await signIn(next.password)).toMatchObject({ status: 200 });
  });

  test('that is forgotten is replaced after a sign-in by link', async () => {
    const { email } = await personWithPassword();
    const browser = await openedWith((await invite(api, caller.accountId, 'VIEWER', email)).link, api);
    const next = 'a password to remember';
    expect(await browser.post(consolePaths.setPassword, { password: next })).toMatchObject({ status: 200 });
    expect(await new Browser(api.baseUrl).signIn(email, next)).toMatchObject({ status: 200 });
  });

  test('opens every account in which the person has chosen it, and no other', async () => {
    const { email } = await personWithPassword();
    const { credentials } = await api.newCaller();
    const elsewhere = await openedWith((await invite(api, credentials.accountId, 'OWNER', email)).link, api);
    await elsewhere.post(consolePaths.setPassword, { password: 'another long password' });
    const opened = async (text: string) =>
      (await new Browser(api.baseUrl).signIn(email, text)).body.accounts.map(({ account_id }) => account_id);
    expect(await opened(password)).toEqual([caller.accountId]);
    expect(await opened('another long password')).toEqual([credentials.accountId]);
    await elsewhere.post(consolePaths.setPassword, { password, current_password: 'another long password' });
    expect((await opened(password)).toSorted()).toEqual([caller.accountId, credentials.accountId].toSorted());
    const salts = await api.rows<{ salt: string }>(
      "SELECT DISTINCT split_part(password_hash, '$', 5) AS salt FROM people WHERE email = $1",
      [email],
    );
    // One hash per attempt, however many accounts invite an email.
    expect(salts).toHaveLength(1);
  });

  test('starts no session if it is replaced while it is being checked', async () => {
    const { email, personId } = await personWithPassword();
    const { attempt } = await api.db.transaction(async (tx) => {
      await endCredentials(tx, [personId]);
      const pending = new Browser(api.baseUrl).signIn(email, password);
      const waiting = () =>
        api.rows(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND query LIKE '%FROM people%FOR UPDATE'`,
        );
      await expect.poll(async () => (await waiting()).length, { timeout: 30_000 }).toBe(1);
      return { attempt: pending };
    });
    expect(await attempt).toMatchObject({ status: 401 });
  });

  test('is stored as Argon2id with its parameters', async () => {
    const { personId } = await personWithPassword();
    const [row] = await api.rows<{ password_hash: string }>(
      'SELECT password_hash FROM people WHERE person_id = $1',
      [personId],
    );
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });
});

describe('an unknown email', () => {
  test('is answered exactly like a wrong password, and like a person without a password', async () => {
    const { email } = await personWithPassword();
    const invited = await invite(api, caller.accountId, 'VIEWER');
    const answers = await Promise.all(
      [email, invited.email, 'nobody@example.com'].map(async (each) => {
        const browser = new Browser(api.baseUrl);
        const { status, headers, body } = await browser.signIn(each, 'wrong password', fromNewAddress());
        const names = [...headers.keys()].toSorted();
        return { status, names, body: { ...body, request_id: '' } };
      }),
    );
    expect(answers[0]).toMatchObject(problem(401, 'UNAUTHENTICATED'));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test('takes as long as a wrong password: the hash is computed for it too', async () => {
    const { email } = await personWithPassword();
    const timeOf = async (each: string) => {
      const start = performance.now();
      await new Browser(api.baseUrl).signIn(each, 'wrong password', fromNewAddress());
      return performance.now() - start;
    };
    const times = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
    // In turns, so that both meet the same load of the machine.
    for (let n = 0; n < 8; n++) {
      times.known = Math.min(times.known, await timeOf(email));
      times.unknown = Math.min(times.unknown, await timeOf('nobody-else@example.com'));
    }
    // Without the hash it would be a tenth or less.
    expect(times.unknown).toBeGreaterThan(times.known / 4);
  });
});

describe('guessing', () => {
  test('is refused after ten wrong passwords from one address, even with the right one, but not for others', async () => {
    const { email } = await personWithPassword();
    const address = fromNewAddress();
    const guess = (text: string, from = address) => new Browser(api.baseUrl).signIn(email, text, from);
    for (let n = 0; n < 10; n++) expect(await guess(`wrong ${n}`)).toMatchObject({ status: 401 });
    const refused = await guess(password);
    expect(refused).toMatchObject(problem(429, 'TOO_MANY_REQUESTS'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await guess(password, fromNewAddress())).toMatchObject({ status: 200 });
  });

  test('does not lock out the person in a browser that they have signed in with before, which has ten attempts', async () => {
    const { email, browser } = await personWithPassword();
    const address = fromNewAddress();
    const known = browser.copy();
    known.device = browser.device;
    await browser.post(consolePaths.signOut, {});
    for (let n = 0; n < 10; n++) await new Browser(api.baseUrl).signIn(email, `wrong ${n}`, address);
    expect(await new Browser(api.baseUrl).signIn(email, password, address)).toMatchObject({ status: 429 });
    // A device of somebody else, or with a changed signature, is none.
    for (const device of [(await personWithPassword()).browser.device, `${browser.device ?? ''}x`]) {
      const other = Object.assign(new Browser(api.baseUrl), { device });
      expect(await other.signIn(email, password, address)).toMatchObject({ status: 429 });
    }
    for (let n = 0; n < 9; n++)
      expect(await known.signIn(email, `wrong ${n}`, address)).toMatchObject({ status: 401 });
    expect(await known.signIn(email, password, address)).toMatchObject({ status: 200 });
    const again = Object.assign(new Browser(api.baseUrl), { device: browser.device });
    expect(await again.signIn(email, 'wrong', address)).toMatchObject({ status: 401 });
    expect(await again.signIn(email, password, address)).toMatchObject({ status: 429 });
  });

  test('is limited per email over all addresses, and per address over all emails', async () => {
    const { email } = await personWithPassword();
    const statusesOf = async (attempt: (n: number) => Promise<{ status: number }>) => {
      const found = new Set<number>();
      for (let n = 0; n < 100 && !found.has(429); n++) found.add((await attempt(n)).status);
      return [...found];
    };
    const perEmail = await statusesOf((n) =>
      new Browser(api.baseUrl).signIn(email, 'wrong', { 'x-forwarded-for': `10.2.0.${n}` }),
    );
    expect(perEmail).toEqual([401, 429]);
    const perAddress = await statusesOf((n) =>
      new Browser(api.baseUrl).signIn(`nobody-${n}@example.com`, 'wrong', { 'x-forwarded-for': '10.3.0.1' }),
    );
    expect(perAddress).toEqual([401, 429]);
  }, 120_000);
});

describe('signing out', () => {
  test('ends the session at once, and removes the cookie', async () => {
    const browser = await signedIn(api, caller.accountId, 'VIEWER');
    const replay = browser.copy();
    expect(await browser.post(consolePaths.signOut, {})).toMatchObject({ status: 200 });
    expect(browser.cookie).toBeUndefined();
    expect(await replay.session()).toMatchObject(problem(401, 'UNAUTHENTICATED'));
    expect(await replay.ask('listProjects')).toMatchObject(problem(401, 'UNAUTHENTICATED'));
  });

  test('everywhere ends all sessions of the person, and of nobody else', async () => {
    const { email, browser } = await personWithPassword();
    const other = new Browser(api.baseUrl);
    await other.signIn(email, password);
    const somebody = await signedIn(api, caller.accountId, 'VIEWER');
    expect(await browser.post(consolePaths.signOut, { everywhere: true })).toMatchObject({ status: 200 });
    expect(await other.session()).toMatchObject({ status: 401 });
    expect(await somebody.session()).toMatchObject({ status: 200 });
  });
});

test('a person has at most 20 sessions: the oldest end', async () => {
  const { email, browser } = await personWithPassword();
  for (let n = 0; n < 20; n++)
    expect(await new Browser(api.baseUrl).signIn(email, password)).toMatchObject({ status: 200 });
  await expect.poll(async () => (await browser.session()).status, { timeout: 10_000 }).toBe(401);
}, 60_000);

test('the options to sign in are public', async () => {
  const response = await fetch(`${api.baseUrl}${consolePaths.signInOptions}`);
  expect(await response.json()).toEqual({ password: true, oidc: null });
});
