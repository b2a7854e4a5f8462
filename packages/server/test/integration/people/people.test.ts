import type { Response } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { Browser, invite, openedWith, signedIn } from '../stack/browser.ts';
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
      person: { person_id },
      accounts: [{ account_id: caller.accountId, role: 'EDITOR' }],
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
    const ids = await Promise.all(
      [one, two].map(async (each) => (await each.session()).body.person.person_id),
    );
    const answers = await Promise.all(
      ids.map((person_id) => one.ask('updatePerson', { person_id, role: 'VIEWER' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'LAST_OWNER' });
    const [{ owners } = { owners: 0 }] = await api.rows<{ owners: number }>(
      "SELECT count(*)::int AS owners FROM memberships WHERE account_id = $1 AND role = 'OWNER'",
      [credentials.accountId],
    );
    expect(owners).toBe(1);
  });
});

describe('a person of another account', () => {
  test('is not invited: the link would open that account too', async () => {
    const { credentials } = await api.newCaller();
    const { email, link } = await invite(api, credentials.accountId, 'OWNER');
    const refused = await owner.ask('invitePerson', { email, name: 'x', role: 'VIEWER' });
    expect(refused).toMatchObject(problem(403, 'PERSON_ELSEWHERE'));
    expect(JSON.stringify(refused.body)).not.toContain('#token=');
    const { body } = await new Browser(api.baseUrl).redeem(link);
    expect(body.accounts.map(({ account_id }) => account_id)).toEqual([credentials.accountId]);
  });

  test('who is added by the operator must sign in anew: an earlier owner may know their credentials', async () => {
    const { email, link } = await invited('VIEWER');
    const attacker = await openedWith(link, api);
    const password = 'chosen by the first owner';
    await attacker.post('/console/set-password', { password });
    const again = await invited('VIEWER', email);
    const { credentials } = await api.newCaller();
    const added = await invite(api, credentials.accountId, 'OWNER', email);
    await expect.poll(async () => (await attacker.session()).status, { timeout: 10_000 }).toBe(401);
    expect(await new Browser(api.baseUrl).signIn(email, password)).toMatchObject({ status: 401 });
    expect(await new Browser(api.baseUrl).redeem(again.link)).toMatchObject({ status: 401 });
    const { body } = await new Browser(api.baseUrl).redeem(added.link);
    expect(body.accounts).toHaveLength(2);
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
    const { person } = (await owner.session()).body;
    expect(second.audit_events).toMatchObject([
      {
        actor_type: 'PERSON',
        actor_id: person.person_id,
        actor_email: person.email,
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
