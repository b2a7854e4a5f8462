import { createServer } from 'node:http';
import { consolePaths } from '@tastegraph/contract';
import { findFreePort } from '@tastegraph/dev';
import { type PrivateProvider, startIdentityProvider } from '@tastegraph/dev/identity-provider';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../stack/api.ts';
import { Browser, invite, openedWith } from '../stack/browser.ts';
import { expectLogged, startServer } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { ProviderUser } from './provider-user.ts';

let accountId: string;

const provider = perFile(() => startIdentityProvider());
const api = perFile(() => startWith(provider));

beforeAll(async () => {
  accountId = (await api.newCaller()).credentials.accountId;
});

async function startWith(
  { issuer, clientId, clientSecret }: Pick<PrivateProvider, 'issuer' | 'clientId' | 'clientSecret'>,
  settings: Record<string, string> = {},
): Promise<TestApi> {
  const port = String(await findFreePort());
  return startTestApi({
    PORT: port,
    BASE_URL: `http://127.0.0.1:${port}`,
    TRUST_PROXY: 'loopback',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_NAME: 'Example',
    ...settings,
  });
}

let subjects = 0;
/** Somebody whom the provider knows, with a verified email, and who is invited. */
async function invitedPerson() {
  const subject = `subject-${(subjects += 1)}`;
  const email = `${subject}@example.com`;
  provider.people.set(subject, { email, email_verified: true });
  const { person_id } = await invite(api, accountId, 'EDITOR', email);
  return { subject, email, personId: person_id };
}

const user = () => new ProviderUser(api.baseUrl);
const errorOf = (url: string) => {
  const { origin, pathname, searchParams } = new URL(url);
  expect({ origin, pathname }).toEqual({ origin: api.baseUrl, pathname: '/sign-in' });
  return searchParams.get('error');
};
const statusOf = async (one: ProviderUser) => (await one.session()).status;

describe('a sign-in with the provider', () => {
  test('starts a session of the invited person, with the role of the invitation', async () => {
    const { subject, personId, email } = await invitedPerson();
    const anna = user();
    expect(await anna.signIn(subject)).toBe(`${api.baseUrl}/`);
    expect(await anna.session()).toMatchObject({
      status: 200,
      body: {
        person: { email },
        accounts: [{ account_id: accountId, role: 'EDITOR', person_id: personId }],
      },
    });
    const browser = Object.assign(new Browser(api.baseUrl), { cookie: anna.jar.header });
    await browser.session();
    expect(await browser.ask('listProjects')).toMatchObject({ status: 200 });
    const sessions = await api.rows('SELECT started_by FROM console_sessions WHERE person_id = $1', [
      personId,
    ]);
    expect(sessions).toEqual([{ started_by: 'OIDC' }]);
  });

  test('is offered with the name of the provider', async () => {
    const response = await fetch(`${api.baseUrl}${consolePaths.signInOptions}`);
    expect(await response.json()).toEqual({
      password: true,
      oidc: { name: 'Example', url: `${api.baseUrl}/console/oidc/start` },
    });
  });

  test('asks for a code with PKCE, and keeps what it compares out of reach of scripts', async () => {
    const response = await fetch(`${api.baseUrl}${consolePaths.oidcStart}`, { redirect: 'manual' });
    const { searchParams } = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      client_id: provider.clientId,
      redirect_uri: `${api.baseUrl}/console/oidc/callback`,
      scope: 'openid email',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(searchParams.get(name)?.length).toBeGreaterThanOrEqual(43);
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^tastegraph-sign-in=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('leads on to a page of the console, and never to another site', async () => {
    const { subject } = await invitedPerson();
    const inside = '/accounts/acc_x/projects/prj_x?tab=keys#top';
    expect(await user().signIn(subject, inside)).toBe(`${api.baseUrl}${inside}`);
    const outside = [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '/\t/evil.example/',
      '/.//evil.example/',
      '/..//evil.example/',
      '\\/evil.example',
      'javascript:alert(1)',
      `/${'x'.repeat(2000)}`,
    ];
    for (const next of outside) expect(await user().signIn(subject, next)).toBe(`${api.baseUrl}/`);
  });

  test('ends the session that the browser had before', async () => {
    const [first, second] = [await invitedPerson(), await invitedPerson()];
    const anna = user();
    await anna.signIn(first.subject);
    const before = anna.jar.header;
    // The provider would take its own session for the first person.
    const other = user();
    await anna.open(await other.authenticate(await anna.start(), second.subject));
    expect((await anna.session()).body.accounts?.[0]?.person_id).toBe(second.personId);
    const replay = await fetch(`${api.baseUrl}/console/session`, { headers: { cookie: before } });
    expect(replay.status).toBe(401);
  });
});

describe('who gets in', () => {
  test('a person of several accounts, in all that invited their verified email', async () => {
    const { subject, email } = await invitedPerson();
    const { credentials } = await api.newCaller();
    await invite(api, credentials.accountId, 'OWNER', email);
    const anna = user();
    await anna.signIn(subject);
    const opened = (await anna.session()).body.accounts?.map(({ account_id }) => account_id);
    expect(opened?.toSorted()).toEqual([accountId, credentials.accountId].toSorted());
  });

  test('not whoever sent the invitation and opened it themselves, once the person has signed in', async () => {
    const { subject, email } = await invitedPerson();
    const { link } = await invite(api, accountId, 'OWNER', email);
    const inviter = await openedWith(link, api);
    const password = 'chosen by the inviter';
    await inviter.post(consolePaths.setPassword, { password });
    await user().signIn(subject);
    expect(await new Browser(api.baseUrl).signIn(email, password)).toMatchObject({ status: 401 });
    await expect.poll(async () => (await inviter.session()).status, { timeout: 10_000 }).toBe(401);
  });

  test('nobody without an invitation', async () => {
    provider.people.set('stranger', { email: 'stranger@example.com', email_verified: true });
    const stranger = user();
    expect(errorOf(await stranger.signIn('stranger'))).toBe('NOT_INVITED');
    expect(await statusOf(stranger)).toBe(401);
  });

  test('nobody whose email the provider has not verified, or does not tell', async () => {
    const { subject, email } = await invitedPerson();
    const unverified = [
      { email, email_verified: false },
      { email, email_verified: false, xms_edov: true },
      { email, xms_edov: false },
      { email, xms_edov: '0' },
      { email },
      {},
    ];
    for (const claims of unverified) {
      provider.people.set(subject, claims);
      const anna = user();
      expect(errorOf(await anna.signIn(subject))).toBe('EMAIL_NOT_VERIFIED');
      expect(await statusOf(anna)).toBe(401);
    }
  });

  test.each([true, '1'])(
    'a person of Microsoft Entra ID, whose email has a verified domain (xms_edov: %j)',
    async (xms_edov) => {
      const { subject, email, personId } = await invitedPerson();
      provider.people.set(subject, { email, xms_edov });
      const anna = user();
      await anna.signIn(subject);
      expect((await anna.session()).body.accounts?.[0]?.person_id).toBe(personId);
    },
  );

  test('a person whose email has changed at the provider, because the subject is the same', async () => {
    const { subject, personId } = await invitedPerson();
    await user().signIn(subject);
    for (const claims of [{ email: 'married@example.com', email_verified: true }, {}]) {
      provider.people.set(subject, claims);
      const anna = user();
      await anna.signIn(subject);
      expect((await anna.session()).body.accounts?.[0]?.person_id).toBe(personId);
    }
  });

  test('nobody who got the email of a person who has signed in, until that person is invited again', async () => {
    const { subject, email, personId } = await invitedPerson();
    await user().signIn(subject);
    provider.people.set('successor', { email, email_verified: true });
    expect(errorOf(await user().signIn('successor'))).toBe('NOT_INVITED');
    await invite(api, accountId, 'VIEWER', email);
    const successor = user();
    await successor.signIn('successor');
    expect((await successor.session()).body.accounts?.[0]?.person_id).toBe(personId);
    provider.people.set(subject, { email: 'elsewhere@example.com', email_verified: true });
    expect(errorOf(await user().signIn(subject))).toBe('NOT_INVITED');
  });

  test('nobody with the same subject at another provider', async () => {
    const { subject } = await invitedPerson();
    await user().signIn(subject);
    await using elsewhere = await startIdentityProvider();
    elsewhere.people.set(subject, { email: 'attacker@example.com', email_verified: true });
    await using other = await startWith(elsewhere, { DATABASE_URL: api.databaseUrl });
    const attacker = new ProviderUser(other.baseUrl);
    const end = new URL(await attacker.signIn(subject));
    expect(end.searchParams.get('error')).toBe('NOT_INVITED');
    expect(await statusOf(attacker)).toBe(401);
  });

  test('nobody whose email becomes that of another only in lower case', async () => {
    const email = 'kim@example.com';
    await invite(api, accountId, 'OWNER', email);
    // The first letter is the Kelvin sign.
    provider.people.set('kelvin', { email: '\u212Aim@example.com', email_verified: true });
    expect(errorOf(await user().signIn('kelvin'))).toBe('NOT_INVITED');
    provider.people.set('kim', { email: 'Kim@Example.com', email_verified: true });
    expect(await user().signIn('kim')).toBe(`${api.baseUrl}/`);
  });

  test('one of concurrent first sign-ins with one email, and the same person in two tabs', async () => {
    const { subject, email } = await invitedPerson();
    provider.people.set('twin', { email, email_verified: true });
    const attempts = await Promise.all(
      ['twin', subject].flatMap((each) =>
        Array.from({ length: 3 }, async () => {
          const one = user();
          return { one, back: await one.authenticate(await one.start(), each), each };
        }),
      ),
    );
    const ends = await Promise.all(
      attempts.map(async ({ one, back, each }) => ({ each, end: new URL(await one.open(back)).pathname })),
    );
    const winners = new Set(ends.filter(({ end }) => end === '/').map(({ each }) => each));
    expect(winners.size).toBe(1);
    expect(ends.filter(({ end }) => end === '/')).toHaveLength(3);
  });
});

describe('an answer that was not asked for', () => {
  test('by this browser is refused: an attacker cannot sign a victim in as themselves', async () => {
    const { subject } = await invitedPerson();
    const attacker = user();
    const back = await attacker.authenticate(await attacker.start(), subject);
    const victim = user();
    expect(errorOf(await victim.open(back))).toBe('SIGN_IN_EXPIRED');
    // Not even if the victim has a sign-in of their own under way.
    await victim.start();
    expect(errorOf(await victim.open(back))).toBe('SIGN_IN_EXPIRED');
    expect(await statusOf(victim)).toBe(401);
  });

  test('is refused with a wrong, a missing or a repeated state', async () => {
    const { subject } = await invitedPerson();
    const change: readonly ((query: URLSearchParams) => void)[] = [
      (query) => query.set('state', 'x'.repeat(43)),
      (query) => query.delete('state'),
      (query) => query.append('state', 'x'),
    ];
    for (const each of change) {
      const anna = user();
      const back = new URL(await anna.authenticate(await anna.start(), subject));
      each(back.searchParams);
      expect(errorOf(await anna.open(back.href))).toBe('SIGN_IN_EXPIRED');
      expect(await statusOf(anna)).toBe(401);
    }
  });

  test('is refused the second time', async () => {
    const { subject } = await invitedPerson();
    const anna = user();
    const start = await anna.start();
    const pending = anna.jar.header;
    const back = await anna.authenticate(start, subject);
    expect(await anna.open(back)).toBe(`${api.baseUrl}/`);
    expect(errorOf(await anna.open(back))).toBe('SIGN_IN_EXPIRED');
    // Even if the cookie was kept: the provider accepts a code once.
    const response = await fetch(back, { redirect: 'manual', headers: { cookie: pending } });
    expect(errorOf(response.headers.get('location') ?? '')).toBe('PROVIDER_REFUSED');
  });

  test.each(['nonce', 'code_challenge'])('is refused for another %s', async (name) => {
    const { subject } = await invitedPerson();
    const anna = user();
    const start = new URL(await anna.start());
    start.searchParams.set(name, 'x'.repeat(43));
    const back = await anna.authenticate(start.href, subject);
    expect(errorOf(await anna.open(back))).toBe('PROVIDER_REFUSED');
    expect(await statusOf(anna)).toBe(401);
  });

  test('is refused with a made-up code, from another issuer, or with a changed cookie', async () => {
    const { subject } = await invitedPerson();
    for (const [name, value] of [
      ['code', 'made-up'],
      ['iss', 'https://evil.example'],
    ] as const) {
      const anna = user();
      const back = new URL(await anna.authenticate(await anna.start(), subject));
      back.searchParams.set(name, value);
      expect(errorOf(await anna.open(back.href))).toBe('PROVIDER_REFUSED');
    }
    const anna = user();
    const back = await anna.authenticate(await anna.start(), subject);
    const [name, signed = ''] = anna.jar.header.split('=');
    const [text = '', mac = ''] = signed.split('.');
    const pending = {
      ...(JSON.parse(Buffer.from(text, 'base64url').toString()) as object),
      next: '//evil.example',
    };
    const forged = [
      `${Buffer.from(JSON.stringify(pending)).toString('base64url')}.${mac}`,
      text,
      `${text}.`,
      'x',
      '',
    ];
    for (const value of forged) {
      const response = await fetch(back, { redirect: 'manual', headers: { cookie: `${name}=${value}` } });
      expect(errorOf(response.headers.get('location') ?? '')).toBe('SIGN_IN_EXPIRED');
    }
  });

  test('that is a refusal of the person says so', async () => {
    const anna = user();
    const back = await anna.authenticate(await anna.start('/accounts/acc_x'), 'nobody');
    const end = new URL(await anna.open(back));
    expect(Object.fromEntries(end.searchParams)).toEqual({
      error: 'SIGN_IN_CANCELED',
      next: '/accounts/acc_x',
    });
  });

  test('is limited per address', async () => {
    const address = { 'x-forwarded-for': '10.9.0.1' };
    const found = new Set<string | null>();
    for (let n = 0; n < 100 && !found.has('TOO_MANY_ATTEMPTS'); n++) {
      const anna = user();
      const { searchParams } = new URL(await anna.start());
      const query = new URLSearchParams({
        code: 'made-up',
        state: searchParams.get('state') ?? '',
        iss: provider.issuer,
      });
      const response = await fetch(`${api.baseUrl}${consolePaths.oidcCallback}?${query.toString()}`, {
        redirect: 'manual',
        headers: { cookie: anna.jar.header, ...address },
      });
      found.add(errorOf(response.headers.get('location') ?? ''));
    }
    expect([...found]).toEqual(['PROVIDER_REFUSED', 'TOO_MANY_ATTEMPTS']);
  });
});

test('a sign-in leaves no secret in the log', async () => {
  const { subject, email } = await invitedPerson();
  const port = await findFreePort();
  const { issuer, clientId, clientSecret } = provider;
  await using server = await startServer('api', {
    DATABASE_URL: api.databaseUrl,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: 'trace',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  });
  const anna = new ProviderUser(`http://127.0.0.1:${port}`);
  const start = await anna.start();
  const pending = anna.jar.header;
  const back = await anna.authenticate(start, subject);
  await anna.open(back);
  expect(await statusOf(anna)).toBe(200);
  // The same code again, which the provider refuses.
  await fetch(back, { redirect: 'manual', headers: { cookie: pending } });
  await expectLogged(server, 'PROVIDER_REFUSED');
  const query = new URL(back).searchParams;
  const secrets = [clientSecret, email, query.get('code'), query.get('state'), anna.jar.header.split('=')[1]];
  for (const secret of secrets) {
    expect(secret?.length).toBeGreaterThan(10);
    expect(server.output()).not.toContain(secret);
  }
});

describe('a provider', () => {
  test('that is down keeps nobody from starting the service, and is found when it is back', async () => {
    const port = await findFreePort();
    const absent = { issuer: `http://localhost:${port}`, clientId: 'tastegraph', clientSecret: 'x' };
    await using service = await startWith(absent);
    const start = async () => new ProviderUser(service.baseUrl).start();
    expect(new URL(await start()).searchParams.get('error')).toBe('PROVIDER_UNAVAILABLE');
    await using back = await startIdentityProvider({ port });
    await expect.poll(start, { timeout: 30_000 }).toContain(back.issuer);
  });

  test('that never answers is given up after seconds', async () => {
    const port = await findFreePort();
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(port, 'localhost', resolve));
    try {
      const issuer = `http://localhost:${port}`;
      await using service = await startWith({ issuer, clientId: 'tastegraph', clientSecret: 'x' });
      const ends = await Promise.all(
        Array.from({ length: 3 }, async () => new ProviderUser(service.baseUrl).start()),
      );
      for (const end of ends) expect(new URL(end).searchParams.get('error')).toBe('PROVIDER_UNAVAILABLE');
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  test('that does not accept our secret, or is not the one of the setting, is named as the cause', async () => {
    await using wrongSecret = await startWith({ ...provider, clientSecret: 'wrong' });
    const { credentials } = await wrongSecret.newCaller();
    provider.people.set('anna', { email: 'anna@example.com', email_verified: true });
    await invite(wrongSecret, credentials.accountId, 'OWNER', 'anna@example.com');
    const end = await new ProviderUser(wrongSecret.baseUrl).signIn('anna');
    expect(new URL(end).searchParams.get('error')).toBe('PROVIDER_REFUSED');
    await using wrongIssuer = await startWith({ ...provider, issuer: `${provider.issuer}/other` });
    const refused = await new ProviderUser(wrongIssuer.baseUrl).start();
    expect(new URL(refused).searchParams.get('error')).toBe('PROVIDER_REFUSED');
  });
});
