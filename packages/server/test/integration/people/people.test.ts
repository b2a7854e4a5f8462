import { consolePaths, type Response } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { startAccountDeletion } from '../../../src/accounts/delete-account.ts';
import { account as people } from '../../../src/people/account.ts';
import { Browser, openedWith, signedIn } from '../stack/browser.ts';
import { api, caller, ownProduct, perFile, problem } from '../stack/stack.ts';

ownProduct();
const owner = perFile(() => signedIn(api, caller.accountId, 'OWNER'));

type Invited = Response<'invitePerson'>;

let invitations = 0;
async function invited(role: string, email = `guest-${(invitations += 1)}@example.com`): Promise<Invited> {
  const { status, body } = await owner.ask('invitePerson', { email, name: 'Guest', role });
  expect(status).toBe(200);
  return body as unknown as Invited;
}

describe('an owner', () => {
  test('invites a person, who signs in with the link and has the role', async () => {
    const { person_id, link, email, role } = await invited('EDITOR', 'Anna@Example.com');
    expect({ email, role }).toEqual({ email: 'anna@example.com', role: 'EDITOR' });
    const guest = new Browser(api.baseUrl);
    const { body } = await guest.redeem(link);
    expect(body).toMatchObject({
      accounts: [{ account_id: caller.accountId, role: 'EDITOR', person_id }],
    });
    expect(await guest.ask('createProject', {})).toMatchObject({ status: 400 });
    expect(await guest.ask('listPeople')).toMatchObject(problem(403, 'ROLE_MISSING'));
    const { people } = (await owner.ask('listPeople')).body as unknown as Response<'listPeople'>;
    expect(people.find((person) => person.person_id === person_id)).toMatchObject({ email, role: 'EDITOR' });
  });

  test('sends a new link to a person of the account, which replaces the one before', async () => {
    const first = await invited('VIEWER');
    const second = await invited('VIEWER', first.email);
    expect(second.person_id).toBe(first.person_id);
    expect(await new Browser(api.baseUrl).redeem(first.link)).toMatchObject({ status: 401 });
    expect(await new Browser(api.baseUrl).redeem(second.link)).toMatchObject({ status: 200 });
  });

  test('changes a role, which applies to the sessions of the person', async () => {
    const { person_id, link } = await invited('VIEWER');
    const guest = await openedWith(link, api);
    const { body } = await owner.ask('updatePerson', { person_id, role: 'OWNER' });
    expect(body).toMatchObject({ person_id, role: 'OWNER' });
    await expect.poll(async () => (await guest.ask('listPeople')).status, { timeout: 10_000 }).toBe(200);
    await owner.ask('updatePerson', { person_id, role: 'VIEWER' });
    await expect.poll(async () => (await guest.ask('listPeople')).status, { timeout: 10_000 }).toBe(403);
  });

  test('removes a person, whose sessions and link end', async () => {
    const { person_id, link, email } = await invited('EDITOR');
    const guest = await openedWith(link, api);
    const later = await invited('EDITOR', email);
    const removed = await owner.ask('removePerson', { person_id });
    expect(removed).toMatchObject({ status: 200, body: { person_id } });
    await expect.poll(async () => (await guest.session()).status, { timeout: 10_000 }).toBe(401);
    expect(await new Browser(api.baseUrl).redeem(later.link)).toMatchObject({ status: 401 });
    expect(await owner.ask('getPerson', { person_id })).toMatchObject({ status: 404 });
  });

  test('cannot leave the account without an owner, even in concurrent calls', async () => {
    const { credentials } = await api.newCaller();
    const one = await signedIn(api, credentials.accountId, 'OWNER');
    const two = await signedIn(api, credentials.accountId, 'OWNER');
    const ids = await Promise.all([one, two].map((each) => each.personId()));
    const answers = await Promise.all(
      ids.map((person_id) => one.ask('updatePerson', { person_id, role: 'VIEWER' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'LAST_OWNER' });
    const [{ owners } = { owners: 0 }] = await api.rows<{ owners: number }>(
      "SELECT count(*)::int AS owners FROM people WHERE account_id = $1 AND role = 'OWNER'",
      [credentials.accountId],
    );
    expect(owners).toBe(1);
  });
});

const password = 'chosen by whoever opened the link';

/** Somebody in the account who has opened the link of the invitation and chosen the password. */
async function settled(email?: string) {
  const invitation = await invited('OWNER', email);
  const browser = await openedWith(invitation.link, api);
  expect(await browser.post(consolePaths.setPassword, { password })).toMatchObject({ status: 200 });
  return { ...invitation, browser };
}

const ends = (browser: Browser) =>
  expect.poll(async () => (await browser.session()).status, { timeout: 10_000 }).toBe(401);

describe('a new link', () => {
  test('ends what opened the console for the person before: sessions and password', async () => {
    const { email, browser } = await settled();
    const { link } = await invited('OWNER', email);
    await ends(browser);
    expect(await new Browser(api.baseUrl).signIn(email, password)).toMatchObject({ status: 401 });
    expect(await new Browser(api.baseUrl).redeem(link)).toMatchObject({ status: 200 });
  });

  test('for oneself can be read before it ends the own session, which it does when it is opened', async () => {
    const { email, browser } = await settled();
    const { body } = await browser.ask('invitePerson', { email, name: 'Me', role: 'OWNER' });
    expect(await browser.session()).toMatchObject({ status: 200 });
    await openedWith(String(body['link']), api);
    await ends(browser);
    expect(await new Browser(api.baseUrl).signIn(email, password)).toMatchObject({ status: 401 });
  });
});

describe('an email that another account has invited', () => {
  test('is invited like any other: the answer does not tell, and neither account opens the other', async () => {
    const { email, browser, person_id } = await settled();
    const { credentials } = await api.newCaller();
    const other = await signedIn(api, credentials.accountId, 'OWNER');
    const second = await other.ask('invitePerson', { email, name: 'x', role: 'VIEWER' });
    expect(second).toMatchObject({ status: 200, body: { email, last_used_ts: null } });
    expect(second.body['person_id']).not.toBe(person_id);
    const { body } = await new Browser(api.baseUrl).redeem(String(second.body['link']));
    expect(body.accounts.map(({ account_id }) => account_id)).toEqual([credentials.accountId]);
    const signIn = await new Browser(api.baseUrl).signIn(email, password);
    expect(signIn.body.accounts.map(({ account_id }) => account_id)).toEqual([caller.accountId]);
    expect(await browser.session()).toMatchObject({ status: 200 });
  });

  test('is not opened by what opened the account before, once that is deleted', async () => {
    const { credentials } = await api.newCaller();
    const attacker = await signedIn(api, credentials.accountId, 'OWNER');
    const email = 'victim@example.com';
    const { body } = await attacker.ask('invitePerson', { email, name: 'x', role: 'OWNER' });
    const planted = await openedWith(String(body['link']), api);
    await planted.post(consolePaths.setPassword, { password });
    const again = await attacker.ask('invitePerson', {
      email: 'second@example.com',
      name: 'x',
      role: 'OWNER',
    });
    const unopened = String(again.body['link']);
    // As the operator's command begins. What it leaves to workers decides nothing.
    await api.db.transaction((tx) => startAccountDeletion(tx, [people], credentials.accountId));
    const credentialsLeft = await api.rows(
      `SELECT FROM people p LEFT JOIN console_sessions s USING (person_id) LEFT JOIN sign_in_links l USING (person_id)
        WHERE p.account_id = $1 AND (password_hash, s.token_hash, l.token_hash) IS DISTINCT FROM (NULL, NULL, NULL)`,
      [credentials.accountId],
    );
    expect(credentialsLeft).toEqual([]);
    const victim = await invited('OWNER', email);
    expect(victim.person_id).not.toBe(body['person_id']);
    expect(await new Browser(api.baseUrl).signIn(email, password)).toMatchObject({ status: 401 });
    expect(await new Browser(api.baseUrl).redeem(unopened)).toMatchObject({ status: 401 });
    await ends(planted);
    expect(await planted.ask('listProjects')).toMatchObject({ status: 401 });
    expect(await new Browser(api.baseUrl).redeem(victim.link)).toMatchObject({ status: 200 });
  });

  test('is a new person when it is invited again after it was removed', async () => {
    const { email, person_id, browser } = await settled();
    await owner.ask('removePerson', { person_id });
    const again = await invited('VIEWER', email);
    expect(again.person_id).not.toBe(person_id);
    await ends(browser);
    expect(await new Browser(api.baseUrl).signIn(email, password)).toMatchObject({ status: 401 });
  });
});

describe('the audit log', () => {
  const list = async (request: object = {}) =>
    (await owner.ask('listAuditEvents', request)).body as unknown as Response<'listAuditEvents'>;

  test('says who changed what and when, newest first, in pages', async () => {
    const before = Date.now();
    const created = await owner.ask('createUserDataset', { name: 'users', num_shards: 1 });
    const user_dataset_id = String(created.body['user_dataset_id']);
    await caller.call('deleteUserDataset', { user_dataset_id });
    const first = await list({ page_size: 1 });
    expect(first.audit_events).toMatchObject([
      {
        actor_type: 'API_KEY',
        actor_id: caller.credentials.apiKey,
        actor_email: null,
        operation: '/delete-user-dataset',
        object_id: user_dataset_id,
        result: 'SUCCEEDED',
        calls: 1,
      },
    ]);
    const second = await list({ page_size: 1, page_token: first.next_page_token });
    const { body } = await owner.session();
    expect(second.audit_events).toMatchObject([
      {
        actor_type: 'PERSON',
        actor_id: body.accounts[0]?.person_id,
        actor_email: body.person.email,
        operation: '/create-user-dataset',
        object_id: user_dataset_id,
        request_id: created.headers.get('x-request-id'),
      },
    ]);
    expect(second.audit_events[0]?.ts).toBeGreaterThanOrEqual(before - 1000);
  });

  test('has no entry for what was read or refused', async () => {
    const { audit_events: before } = await list();
    await owner.ask('listProjects');
    await owner.ask('createProject', { name: 'x' });
    await caller.ask('deleteProject', { project_id: 'prj_x' });
    expect((await list()).audit_events).toEqual(before);
  });

  test("counts a person's writes of records per hour and dataset, and no upserts by API keys", async () => {
    const { item_dataset_id } = await caller.call('createItemDataset', { name: 'items', num_shards: 1 });
    const items = [{ item_id: 'secret-item', attributes: { title: 'Secret title' } }];
    for (let n = 0; n < 3; n++) {
      await owner.ask('upsertDatasetItems', { item_dataset_id, items });
      await caller.call('upsertDatasetItems', { item_dataset_id, items });
    }
    const { audit_events } = await list();
    const writes = audit_events.filter(({ operation }) => operation === '/upsert-dataset-items');
    // Two rows if an hour ended meanwhile.
    expect(writes.reduce((sum, { calls }) => sum + calls, 0)).toBe(3);
    expect(writes.length).toBeLessThanOrEqual(2);
    expect(writes[0]).toMatchObject({ actor_type: 'PERSON', object_id: item_dataset_id });
    expect(JSON.stringify(audit_events)).not.toMatch(/secret/i);
  });

  test('has no link or token of an invitation, and no ID of an erased user', async () => {
    const { link } = await invited('VIEWER');
    await owner.ask('eraseUser', { user_id: 'a-person-to-forget' });
    const rows = await api.rows('SELECT a::text FROM audit_events a', []);
    const text = JSON.stringify(rows);
    expect(text).toContain('/erase-user');
    expect(text).not.toContain(link.split('#token=')[1] ?? '-');
    expect(text).not.toContain('a-person-to-forget');
  });

  test('is that of the account only', async () => {
    const other = await api.newCaller();
    const { audit_events } = await other.call('listAuditEvents', {});
    expect(audit_events).toEqual([]);
  });
});
