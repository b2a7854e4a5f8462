import {
  endpoints,
  jwksPath,
  type OperationName,
  operationNames,
  operations,
  type Role,
  roleIncludes,
  roles,
  tokenPath,
} from '@tastegraph/contract';
import { Ajv } from 'ajv';
import { describe, expect } from 'vitest';
import { newId } from '../../../src/http/ids.ts';
import { logAnswers, loggedAnswer } from '../outcomes/logged-answers.ts';
import { invite, signedIn } from '../stack/browser.ts';
import { answer, type Caller, requestOf, withoutIds } from '../stack/caller.ts';
import { copyModel, deploy } from '../stack/deployment-cell.ts';
import { select } from '../stack/kinds.ts';
import { api, problem, test } from '../stack/stack.ts';
import { makeProject, submit, waitForJob } from '../stack/training.ts';

let owner: Caller;
let stranger: Caller;
let ids: Record<IdField, string>;
let registered: OperationName[];

test.beforeAll(async () => {
  owner = await api.newCaller();
  stranger = await api.newCaller();
  const project = await makeProject(owner);
  const { project_id } = project;
  const trained = await waitForJob(owner, project_id, await submit(owner, project));
  const { model_id } = trained.job_result as { model_id: string };
  const { user_dataset_id, item_dataset_id, event_dataset_id } = project;
  // The generated requests refer to records by the ID x.
  await owner.call('upsertDatasetUsers', { user_dataset_id, users: [{ user_id: 'x' }] });
  await owner.call('upsertDatasetItems', { item_dataset_id, items: [{ item_id: 'x' }] });
  const event = { event_id: 'x', user_id: 'x', item_id: 'x', ts: 1000, event_type: 'view' };
  await owner.call('upsertDatasetEvents', { event_dataset_id, events: [event] });
  const { person_id } = await invite(api, owner.credentials.accountId, 'VIEWER');
  const account_id = owner.credentials.accountId;
  const answered = loggedAnswer({ account_id, project_id, user_id: 'someone' });
  await logAnswers(api.store, [answered]);
  const { erasure_id } = await owner.call('eraseUser', { user_id: 'nobody' });
  const { schedule_id } = await owner.call('createSchedule', {
    project_id,
    name: 'x',
    cron: '0 0 1 1 *',
    what: { job_type: 'TRAINING' },
  });
  const { experiment_id } = await owner.call('createExperiment', {
    project_id,
    name: 'x',
    scenario: 'default',
    variants: [{ name: 'a' }, { name: 'b' }],
  });
  // A scenario has one running experiment, and another one is created below. Stopping one twice is allowed.
  await owner.call('stopExperiment', { project_id, experiment_id });
  const { webhook_id } = await owner.call('createWebhook', {
    url: 'https://example.com/',
    events: ['quota.near'],
  });
  ids = {
    ...project,
    job_id: await insertWaitingJob(trained.job_id),
    model_id,
    generator_model_id: model_id,
    erasure_id,
    person_id,
    api_key: (await owner.call('createApiKey', { name: 'another' })).api_key,
    schedule_id,
    experiment_id,
    webhook_id,
    recommendation_id: answered.recommendation_id,
  };
  registered = await listRegistered();
});

/** Deploys a copy of the model before the model itself, so that there is something to roll back. */
async function deployCopy(project_id: string, model_id: string): Promise<void> {
  const copy = await copyModel(api, model_id);
  for (const generator_model_id of [copy, model_id])
    await deploy(owner, { project_id }, { generator_model_id });
}

/** Inserts a job that is not in the queue, so that it waits until it is canceled. */
async function insertWaitingJob(like: string): Promise<string> {
  const [row] = await select<{ job_id: string }>(
    api.db,
    `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn)
      SELECT $2, account_id, project_key, job_type, name, job_data, turn FROM jobs WHERE job_id = $1 RETURNING job_id`,
    [like, newId('job')],
  );
  return row?.job_id ?? '';
}

/** The operations that the server lists in /openapi.json. */
async function listRegistered(): Promise<OperationName[]> {
  const document = (await (await fetch(`${api.baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(document.paths)
    .filter(([path]) => path !== tokenPath && path !== jwksPath)
    .map(([, methods]) => Object.values(methods)[0]?.operationId as OperationName)
    .filter((name) => Object.hasOwn(endpoints, name));
}

/** Fields with an ID, each with an ID that does not exist. */
const absent = {
  user_dataset_id: 'uds_00000000000000000000000000',
  item_dataset_id: 'ids_00000000000000000000000000',
  event_dataset_id: 'eds_00000000000000000000000000',
  project_id: 'prj_00000000000000000000000000',
  algorithm_id: 'alg_00000000000000000000000000',
  job_id: 'job_00000000000000000000000000',
  model_id: 'mdl_00000000000000000000000000',
  generator_model_id: 'mdl_00000000000000000000000000',
  erasure_id: 'ers_00000000000000000000000000',
  person_id: 'prs_00000000000000000000000000',
  api_key: 'tg_main_000000000000000000000000',
  schedule_id: 'sch_00000000000000000000000000',
  experiment_id: 'exp_00000000000000000000000000',
  webhook_id: 'whk_00000000000000000000000000',
  recommendation_id: 'rec_00000000000000000000000000',
};
type IdField = keyof typeof absent;

/** Optional in recommendation calls: their project, whose taste counts, and the item to which others are similar. */
const questionFields = ['project_id', 'user_id', 'item_id'];

interface RequestSchema {
  readonly properties?: Record<string, { type?: string; enum?: string[]; const?: string }>;
  readonly required?: string[];
}

function requestSchemaOf(name: OperationName): RequestSchema {
  const schema = operations[name].request as unknown as RequestSchema & { anyOf?: RequestSchema[] };
  return schema.anyOf?.[0] ?? schema;
}

const isQuestion = (name: OperationName) => operations[name].concept === 'Recommendation';

/** A valid request for the operation with the given IDs. The other fields are generated from the schema. */
function exampleOf(name: OperationName, given: Record<IdField, string>): Record<string, unknown> {
  const { properties = {}, required = [] } = requestSchemaOf(name);
  // An export or import has one dataset, of any kind.
  const hasDataset = name === 'submitExportJob' || name === 'submitImportJob';
  const ownFields = hasDataset ? ['event_dataset_id'] : ['qps'];
  const optional = (isQuestion(name) ? questionFields : ownFields).filter((field) => field in properties);
  return Object.fromEntries(
    [...required, ...optional].map((field): [string, unknown] => {
      if (field in absent) return [field, given[field as IdField]];
      // So that every question can be asked at once.
      if (field === 'qps') return [field, 1000];
      if (field === 'item_ids') return [field, ['x']];
      if (field === 'path') return [field, 'x.csv'];
      if (field === 'cron') return [field, '0 0 1 1 *'];
      if (field === 'what') return [field, { job_type: 'TRAINING' }];
      if (field === 'scenario') return [field, 'default'];
      if (field === 'variants') return [field, [{ name: 'a' }, { name: 'b' }]];
      if (field === 'url') return [field, 'https://example.com/'];
      if (field === 'events') return [field, ['quota.near']];
      if (field === 'email') return [field, 'x@example.com'];
      if (field === 'queries') return [field, [{ conditions: [{ attribute: 'parity', value: '0' }] }]];
      const { type = '', enum: [first] = [], const: only } = properties[field] ?? {};
      return [field, only ?? first ?? { integer: 1, array: [], object: {} }[type] ?? 'x'];
    }),
  );
}

/** Whether the generated request has an ID that the service issued. Users, items and events have IDs of the developer. */
const hasIssuedId = (name: OperationName) =>
  isQuestion(name) ||
  requestSchemaOf(name).required?.some((field) => /(?<!^(?:user|item|event))_id$|^api_key$/.test(field)) ===
    true;

const own = (name: OperationName) => exampleOf(name, ids);

const ofRole = (role: Role) => signedIn(api, owner.credentials.accountId, role);
const isChange = (name: OperationName) => endpoints[name][2] !== 'VIEWER';

describe('with the session of a person, every registered operation', () => {
  test('is refused without a CSRF token, with a wrong one, and with that of another session', async () => {
    const person = await ofRole('OWNER');
    const other = await ofRole('OWNER');
    const last = person.csrfToken.endsWith('A') ? 'B' : 'A';
    for (const name of registered)
      for (const csrf of ['', `${person.csrfToken.slice(0, -1)}${last}`, other.csrfToken]) {
        const { status, body } = await person.ask(name, own(name), { 'tastegraph-csrf': csrf });
        expect({ name, status, code: body.code }).toEqual({ name, status: 403, code: 'CSRF_REJECTED' });
      }
  });

  test('is refused for another account exactly like for one that does not exist', async () => {
    const person = await signedIn(api, stranger.credentials.accountId, 'OWNER');
    for (const name of registered) {
      const askFor = (account: string) => person.ask(name, own(name), { 'tastegraph-account': account });
      const ofAnother = await askFor(owner.credentials.accountId);
      const ofNobody = await askFor('acc_00000000000000000000000000');
      expect([name, ofAnother.status, ofAnother.body.code]).toEqual([name, 403, 'ROLE_MISSING']);
      expect(withoutIds(ofAnother.body)).toEqual(withoutIds(ofNobody.body));
      expect(headersOf(ofAnother.headers)).toEqual(headersOf(ofNobody.headers));
    }
  });

  test('finds nothing of another account', async () => {
    const person = await signedIn(api, stranger.credentials.accountId, 'OWNER');
    for (const name of registered.filter(hasIssuedId))
      expect({ name, status: (await person.ask(name, own(name))).status }).toEqual({ name, status: 404 });
  });

  test('is refused to a viewer if it changes anything', async () => {
    const viewer = await ofRole('VIEWER');
    const changes = registered.filter(isChange);
    expect(changes.length).toBeGreaterThan(30);
    for (const name of changes) {
      const { status, body } = await viewer.ask(name, own(name));
      expect({ name, status, code: body.code }).toEqual({ name, status: 403, code: 'ROLE_MISSING' });
    }
  });

  test('is allowed from its least role on', async () => {
    for (const role of roles) {
      const person = await ofRole(role);
      for (const name of registered) {
        const allowed = roleIncludes(role, endpoints[name][2]);
        // Without IDs and fields, what is allowed is invalid.
        const expected = allowed ? [400, 'INVALID_REQUEST'] : [403, 'ROLE_MISSING'];
        const { status, body } = await person.ask(name, { unknown: 1 });
        expect([name, role, status, body.code]).toEqual([name, role, ...expected]);
      }
    }
  });

  test('has the least role that its verb implies', () => {
    const leastRoles: [names: RegExp, role: Role][] = [
      // Whoever holds a key can act for others; usage names the keys.
      [/ApiKey|WriteKey|Usage/, 'OPERATOR'],
      [/People|Person|AuditEvents/, 'OWNER'],
      [/^(get|list|find|check|recommend|rank)[A-Z]/, 'VIEWER'],
      // A schedule runs jobs, and an experiment changes what users get, which is for operators.
      [/^(create|update|upsert)(?!Schedule|Experiment)[A-Z]/, 'EDITOR'],
      [/./, 'OPERATOR'],
    ];
    for (const name of registered) {
      const [, role] = leastRoles.find(([names]) => names.test(name)) ?? [];
      expect({ name, role: endpoints[name][2] }).toEqual({ name, role });
    }
  });

  test('answers a viewer who reads', async () => {
    const viewer = await ofRole('VIEWER');
    // There is no deployment and no scenario yet.
    const reads = registered.filter((name) => !isChange(name) && !isQuestion(name) && name !== 'getScenario');
    for (const name of reads)
      expect({ name, status: (await viewer.ask(name, own(name))).status }).toEqual({ name, status: 200 });
  });
});

describe('every registered operation', () => {
  test('is covered by this test', () => {
    expect(registered).toEqual(expect.arrayContaining([...operationNames]));
    expect(new Set(registered).size).toBe(registered.length);
  });

  test('returns 401 without a token, without a key, with an invalid token, and with a token of another key', async () => {
    for (const name of registered) {
      const { authorization, apikey } = (await owner.headers()) as { authorization: string; apikey: string };
      const other = (await stranger.headers())['authorization'] ?? '';
      const attempts: Record<string, string>[] = [
        {},
        { apikey },
        { authorization },
        { authorization: 'Bearer x', apikey },
        { authorization: `${authorization.slice(0, -4)}AAAA`, apikey },
        { authorization: other, apikey },
        { authorization, apikey: stranger.credentials.apiKey },
        { authorization, apikey: 'tg_main_000000000000000000000000' },
      ];
      for (const headers of attempts) {
        const { status, body } = await answer(
          await fetch(...requestOf(api.baseUrl, name, own(name), headers)),
        );
        expect({ name, status, body }).toMatchObject({
          status: 401,
          body: { code: 'UNAUTHENTICATED', status: 401 },
        });
      }
    }
  });

  test('returns 403 for a token whose scope does not include it', async () => {
    for (const name of registered) {
      const [, path] = endpoints[name];
      const otherScopes = registered.map((each) => endpoints[each][1]).filter((each) => each !== path);
      const { body } = await owner.requestToken(otherScopes.join(' '));
      const { access_token } = body as { access_token: string };
      const headers = { authorization: `Bearer ${access_token}`, apikey: owner.credentials.apiKey };
      const response = await answer(await fetch(...requestOf(api.baseUrl, name, own(name), headers)));
      expect({ name, ...response }).toMatchObject(problem(403, 'SCOPE_MISSING'));
    }
  });

  test('treats IDs of another account exactly like IDs that do not exist', async () => {
    const compared: OperationName[] = [];
    for (const name of registered) {
      const foreign = own(name);
      const missing = exampleOf(name, absent);
      if (JSON.stringify(foreign) === JSON.stringify(missing)) continue;
      const ofAnother = await stranger.ask(name, foreign);
      const ofNobody = await stranger.ask(name, missing);
      expect({ name, status: ofAnother.status }).toEqual({ name, status: 404 });
      expect(ofNobody.status).toBe(404);
      expect(withoutIds(ofAnother.body)).toEqual(withoutIds(ofNobody.body));
      expect(headersOf(ofAnother.headers)).toEqual(headersOf(ofNobody.headers));
      compared.push(name);
    }
    expect(compared).toEqual(registered.filter(hasIssuedId));
  });

  test('returns to its owner what the contract specifies', async () => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    ajv.addVocabulary(['x-error-code', 'x-records']);
    // Resources that others refer to are deleted last.
    const last = [
      'shutdownDeployment',
      'deleteModel',
      'deleteAlgorithm',
      'deleteProject',
      'deleteUserDataset',
      'deleteItemDataset',
      'deleteEventDataset',
    ];
    const order = registered.toSorted((a, b) => last.indexOf(a) - last.indexOf(b));
    for (const name of order) {
      const { status, body } = await owner.ask(name, own(name));
      expect({ name, status }).toEqual({ name, status: 200 });
      const { project_id, job_id } = body as unknown as { project_id: string; job_id: string };
      // A second project would prevent the deletion of the datasets.
      if (name === 'createProject') await owner.call('deleteProject', { project_id });
      // A deployment is needed for recommendations, and prevents the deletion of its model until the shutdown.
      if (name === 'submitDeploymentJob') {
        await waitForJob(owner, ids.project_id, job_id);
        await deployCopy(ids.project_id, ids.model_id);
      }
      const validate = ajv.compile(operations[name].response as object);
      expect([name, validate(body), validate.errors]).toEqual([name, true, null]);
    }
  });
});

function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)));
}
