import { consolePaths } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../../src/accounts/create-account.ts';
import { openSessionTokens } from '../../../src/people/session-tokens.ts';
import { Sessions } from '../../../src/people/sessions.ts';
import { startTestApi } from '../stack/api.ts';
import { Browser, invite, signedIn, tokenOf } from '../stack/browser.ts';
import { cloneDatabase, openOwnDatabase } from '../stack/database.ts';
import { select } from '../stack/kinds.ts';
import { startServer } from '../stack/server-process.ts';
import { api, caller, ownProduct, problem } from '../stack/stack.ts';

ownProduct({ BASE_URL: 'http://console.example.com' });

const hourMs = 3_600_000;

describe('the cookie', () => {
  test('cannot be read by scripts or sent by other sites, and holds nothing but the token', async () => {
    const browser = new Browser(api.baseUrl);
    const { headers } = await browser.redeem((await invite(api, caller.accountId, 'VIEWER')).link);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^tastegraph-session=[\w-]{54}; Path=\/; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(
        /^tastegraph-device=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/,
      ),
    ]);
  });

  test('is sent over https only if BASE_URL is https', async () => {
    await using secure = await startTestApi({ BASE_URL: 'https://console.example.com' });
    const { credentials } = await secure.newCaller();
    const browser = new Browser(secure.baseUrl);
    const { headers } = await browser.redeem((await invite(secure, credentials.accountId, 'VIEWER')).link);
    const cookie = /^__Host-tastegraph-session=[\w-]{54}; Path=\/; HttpOnly; SameSite=Strict; Secure$/;
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(cookie),
      expect.stringMatching(/^__Host-tastegraph-device=.*; Secure$/),
    ]);
    expect(await browser.ask('listProjects')).toMatchObject({ status: 200 });
    // The name without the prefix could be set by another host of the domain.
    const planted = (browser.cookie ?? '').replace('__Host-', '');
    expect(await browser.ask('listProjects', {}, { cookie: planted })).toMatchObject({ status: 401 });
  });

  test('is not accepted if it is forged', async () => {
    const browser = await signedIn(api, caller.accountId, 'OWNER');
    const [name, token = ''] = (browser.cookie ?? '').split('=');
    const other = token.startsWith('A') ? 'B' : 'A';
    const forged = ['', 'x', `${other}${token.slice(1)}`, token.slice(0, -1), `${token}A`, 'A'.repeat(54)];
    for (const value of forged) {
      const cookie = `${name}=${value}`;
      expect(await browser.ask('listProjects', {}, { cookie })).toMatchObject(
        problem(401, 'UNAUTHENTICATED'),
      );
    }
    expect(await browser.ask('listProjects')).toMatchObject({ status: 200 });
  });

  test('does not stand in for a wrong API key or token', async () => {
    const browser = await signedIn(api, caller.accountId, 'OWNER');
    const { apikey = '' } = await caller.headers();
    for (const headers of [{ apikey }, { authorization: 'Bearer x' }, { apikey, authorization: 'Bearer x' }])
      expect(await browser.ask('listProjects', {}, headers as Record<string, string>)).toMatchObject({
        status: 401,
      });
  });
});

describe('session fixation', () => {
  test('is impossible: every sign-in has a new token, and the one before ends', async () => {
    const attacker = await signedIn(api, caller.accountId, 'VIEWER');
    const planted = attacker.cookie;
    const victim = Object.assign(new Browser(api.baseUrl), { cookie: planted });
    const { body } = await victim.redeem((await invite(api, caller.accountId, 'OWNER')).link);
    expect(victim.cookie).not.toBe(planted);
    expect(body.accounts).toMatchObject([{ role: 'OWNER' }]);
    // What the attacker planted is now worth nothing.
    expect(await attacker.session()).toMatchObject({ status: 401 });
  });

  test('is impossible with a made-up token, which is never adopted', async () => {
    const cookie = `tastegraph-session=${'A'.repeat(54)}`;
    const victim = Object.assign(new Browser(api.baseUrl), { cookie });
    await victim.redeem((await invite(api, caller.accountId, 'OWNER')).link);
    expect(victim.cookie).not.toContain('AAAAAAAA');
  });
});

describe('a call that another site makes the browser send', () => {
  const { signIn, redeemLink, setPassword, signOut } = consolePaths;
  const paths = [signIn, redeemLink, setPassword, signOut];

  test('is refused by its origin before its body is read', async () => {
    const browser = await signedIn(api, caller.accountId, 'OWNER');
    const attempts: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: 'http://other.example.com' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': '', origin: 'null' },
      { 'sec-fetch-site': '', origin: 'http://console.example.com.evil.example' },
      { 'sec-fetch-site': '', origin: 'https://console.example.com' },
    ];
    for (const path of paths)
      for (const headers of attempts)
        expect(await browser.post(path, {}, headers)).toMatchObject(problem(403, 'CSRF_REJECTED'));
    expect(await browser.session()).toMatchObject({ status: 200 });
  });

  test('is accepted from the origin of BASE_URL, for browsers without Sec-Fetch-Site', async () => {
    const browser = await signedIn(api, caller.accountId, 'OWNER');
    const headers = { 'sec-fetch-site': '', origin: 'http://console.example.com' };
    expect(await browser.post(consolePaths.signOut, {}, headers)).toMatchObject({ status: 200 });
  });

  test('is refused as a form, which needs no permission of ours', async () => {
    const { link } = await invite(api, caller.accountId, 'OWNER');
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
    ]) {
      const response = await fetch(`${api.baseUrl}${consolePaths.redeemLink}`, {
        method: 'POST',
        headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ token: tokenOf(link) }),
      });
      expect(response.status).toBe(415);
    }
    expect(await new Browser(api.baseUrl).redeem(link)).toMatchObject({ status: 200 });
  });
});

describe('a session', () => {
  test('ends when it is idle, and at its maximum age even if it is used', async () => {
    let now = Date.now();
    const options = { idleMs: 12 * hourMs, maxMs: 48 * hourMs, writesUse: true, now: () => now };
    const sessions = new Sessions(api.db, await openSessionTokens(api.db), options);
    const { person_id } = await invite(api, caller.accountId, 'VIEWER');
    const idle = await api.db.transaction((tx) => sessions.start(tx, [person_id], 'LINK'));
    const used = await api.db.transaction((tx) => sessions.start(tx, [person_id], 'LINK'));
    const isAlive = async (token: string) => {
      // As after two seconds in any process.
      sessions.forgetAll();
      return (await sessions.find(token)) !== undefined;
    };
    now += 11 * hourMs;
    expect(await isAlive(used)).toBe(true);
    now += 1 * hourMs;
    expect(await isAlive(idle)).toBe(false);
    expect(await isAlive(used)).toBe(true);
    for (let hours = 12; hours < 47; hours += 7) {
      now += 7 * hourMs;
      expect(await isAlive(used)).toBe(hours + 7 < 48);
    }
  });

  test('that has expired is refused everywhere', async () => {
    const browser = await signedIn(api, caller.accountId, 'OWNER');
    await api.rows(
      `UPDATE console_sessions SET created_at = created_at - interval '8 days'
        WHERE person_id = (SELECT person_id FROM console_sessions ORDER BY created_at DESC LIMIT 1)`,
      [],
    );
    await expect.poll(async () => (await browser.session()).status, { timeout: 10_000 }).toBe(401);
    expect(await browser.ask('listProjects')).toMatchObject(problem(401, 'UNAUTHENTICATED'));
  });

  test('ends when the person is removed', async () => {
    const browser = await signedIn(api, caller.accountId, 'OWNER');
    const personId = await browser.personId();
    expect(await browser.ask('listProjects')).toMatchObject({ status: 200 });
    await api.rows('DELETE FROM people WHERE person_id = $1', [personId]);
    await expect.poll(async () => (await browser.ask('listProjects')).status, { timeout: 10_000 }).toBe(401);
  });

  test('works in every process, for recommendations too, and ends in all of them', async () => {
    const env = { DATABASE_URL: api.databaseUrl };
    await using serving = await startServer('serving', env);
    await using other = await startServer('api', env);
    const browser = await signedIn(api, caller.accountId, 'VIEWER');
    const [atServing, atOther] = [browser.copy(serving.baseUrl), browser.copy(other.baseUrl)];
    const call = () => atServing.ask('recommendItemsToUser', { project_id: 'prj_x', user_id: 'x' });
    const list = () => atOther.ask('listProjects');
    expect(await call()).toMatchObject(problem(404, 'NOT_FOUND'));
    expect(await list()).toMatchObject({ status: 200 });
    const signIn = await fetch(`${serving.baseUrl}${consolePaths.session}`);
    expect(signIn.status).toBe(404);
    await browser.post(consolePaths.signOut, {});
    await expect.poll(async () => (await call()).status, { timeout: 10_000 }).toBe(401);
    await expect.poll(async () => (await list()).status, { timeout: 10_000 }).toBe(401);
  });

  test('works in a serving process that started on a standby before the first api process', async () => {
    await using own = await openOwnDatabase();
    const { db, url } = own;
    const readOnly = new URL(url);
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    await using serving = await startServer('serving', { DATABASE_URL: readOnly.href });
    // Migrations create the other one.
    expect(await select(db, 'SELECT name FROM secrets')).toEqual([{ name: 'recommendation_ids' }]);
    await using first = await startServer('api', { DATABASE_URL: url });
    const { account_id } = await createAccount(db, 'test', 'default');
    const browser = await signedIn({ db, baseUrl: first.baseUrl }, account_id, 'VIEWER');
    const elsewhere = browser.copy(serving.baseUrl);
    const call = () => elsewhere.ask('recommendItemsToUser', { project_id: 'prj_x', user_id: 'x' });
    await expect.poll(async () => (await call()).status).toBe(404);
  });

  test('leaves no secret in the log, which names the person', async () => {
    await using server = await startServer('api', { DATABASE_URL: api.databaseUrl, LOG_LEVEL: 'trace' });
    const { link, email, person_id } = await invite(api, caller.accountId, 'OWNER');
    const browser = new Browser(server.baseUrl);
    await browser.redeem(link);
    const password = 'a secret that is not logged';
    await browser.post(consolePaths.setPassword, { password });
    await browser.signIn(email, password);
    await browser.signIn(email, `${password} wrong`);
    await browser.ask('listProjects', { page_size: 1 });
    await browser.ask('listProjects', { page_size: 'x' });
    await expect.poll(() => server.output()).toContain(`"person_id":"${person_id}"`);
    const secrets = [tokenOf(link), password, browser.cookie?.split('=')[1] ?? '', browser.csrfToken];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(server.output()).not.toContain(secret);
    }
  });
});

test('the first start on an empty database prints a link for the owner, and later starts none', async () => {
  await using database = await cloneDatabase();
  const env = { DATABASE_URL: database.url, OWNER_EMAIL: 'anna@example.com' };
  let browser: Browser;
  {
    await using server = await startServer('api', env);
    await expect.poll(() => server.output()).toMatch(/sign-in#token=[\w-]{43}/);
    const link = /http\S+#token=[\w-]{43}/.exec(server.output())?.[0] ?? '';
    browser = new Browser(server.baseUrl);
    const { body } = await browser.redeem(link);
    const accounts = [{ name: 'main', role: 'OWNER' }];
    expect(body).toMatchObject({ person: { email: 'anna@example.com' }, accounts });
  }
  await using again = await startServer('api', env);
  expect(await browser.copy(again.baseUrl).session()).toMatchObject({ status: 200 });
  expect(again.output()).not.toContain('#token=');
});
