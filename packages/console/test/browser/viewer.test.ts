import { endpoints, type OperationName, operationNames, operations } from '@tastegraph/contract';
import { expect, inject, test } from 'vitest';
import { useConsole } from './open-console.ts';
import { shopClient } from './sdk-client.ts';

const { open } = useConsole();

/** The IDs of what the bookshop has, so that a call that is not refused would really change it. */
async function realIds(): Promise<Record<string, string>> {
  const { project_id, user_dataset_id, item_dataset_id, event_dataset_id } = await shopClient().getProject({
    project_id: inject('projectId'),
  });
  const { models } = await shopClient().listModels({ project_id });
  const { algorithms } = await shopClient().listAlgorithms({ project_id });
  const { jobs } = await shopClient().listJobs({ project_id });
  const { people } = await shopClient().listPeople();
  return {
    project_id,
    user_dataset_id,
    item_dataset_id,
    event_dataset_id,
    model_id: models[0]?.model_id ?? '',
    generator_model_id: models[0]?.model_id ?? '',
    algorithm_id: algorithms[0]?.algorithm_id ?? '',
    job_id: jobs[0]?.job_id ?? '',
    person_id: people[0]?.person_id ?? '',
    api_key: inject('apiKey'),
  };
}

/** What a change would show in. Reads are not in it: they move the last use of keys and people. */
async function snapshot() {
  const { project_id } = await shopClient().getProject({ project_id: inject('projectId') });
  const { audit_events } = await shopClient().listAuditEvents({ page_size: 100 });
  const { people } = await shopClient().listPeople();
  const { api_keys } = await shopClient().listApiKeys();
  return {
    audit_events,
    project: await shopClient().getProject({ project_id }),
    projects: await shopClient().listProjects(),
    users: await shopClient().listUserDatasets(),
    items: await shopClient().listItemDatasets(),
    events: await shopClient().listEventDatasets(),
    models: await shopClient().listModels({ project_id }),
    scenarios: await shopClient().listScenarios({ project_id }),
    people: people.map(({ person_id, role, name }) => ({ person_id, role, name })),
    keys: api_keys.map(({ api_key, operations, revoked_ts }) => ({ api_key, operations, revoked_ts })),
  };
}

test('every operation that is not a read is refused to a viewer, and nothing changes', async () => {
  const ids = await realIds();
  const { link } = await shopClient().invitePerson({
    email: 'vera@example.com',
    name: 'Vera',
    role: 'VIEWER',
  });
  const page = await open(link.replace(inject('baseUrl'), ''), { signedOut: true });
  await page.getByRole('button', { name: 'Signed in as Vera' }).waitFor();
  const calls = operationNames.map((name) => {
    const [method, path, role] = endpoints[name];
    const { request } = operations[name].example;
    const own = Object.entries(request as Record<string, unknown>).map(([field, value]) => [
      field,
      ids[field] ?? value,
    ]);
    return { name, method, path, isRead: role === 'VIEWER', request: Object.fromEntries(own) as object };
  });
  const before = await snapshot();
  const answers = await page.evaluate(
    async ({ calls, accountId }) => {
      const session = (await (await fetch('/console/session')).json()) as { csrf_token: string };
      const found: { name: string; status: number; code: string | null }[] = [];
      for (const { name, method, path, request } of calls) {
        const query = method === 'GET' ? `?${new URLSearchParams(request as Record<string, string>)}` : '';
        const response = await fetch(path + query, {
          method,
          headers: {
            'Content-Type': 'application/json',
            'Tastegraph-Csrf': session.csrf_token,
            'Tastegraph-Account': accountId,
          },
          ...(method === 'GET' ? {} : { body: JSON.stringify(request) }),
        });
        const body = (await response.json()) as { code?: string };
        found.push({ name, status: response.status, code: body.code ?? null });
      }
      return found;
    },
    { calls, accountId: inject('accountId') },
  );
  const isRead = (name: string) => endpoints[name as OperationName][2] === 'VIEWER';
  const changes = answers.filter(({ name }) => !isRead(name));
  expect(changes.length).toBeGreaterThan(40);
  expect(changes).toEqual(changes.map(({ name }) => ({ name, status: 403, code: 'ROLE_MISSING' })));
  for (const { name, status, code } of answers.filter((each) => isRead(each.name)))
    expect({ name, isRefused: status === 403, code }).toMatchObject({ isRefused: false });
  expect(await snapshot()).toEqual(before);
});
