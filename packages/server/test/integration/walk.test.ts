import {
  endpoints,
  jwksPath,
  type OperationName,
  operationNames,
  operations,
  tokenPath,
} from '@tastegraph/contract';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { startTestApi, type TestApi } from './api.ts';
import { answer, type Caller, requestOf } from './caller.ts';
import { select } from './kinds.ts';
import { makeProject, submit, waitForJob } from './training.ts';

let api: TestApi;
let owner: Caller;
let stranger: Caller;
let ids: Record<IdField, string>;
let registered: OperationName[];

beforeAll(async () => {
  api = await startTestApi();
  owner = await api.newCaller();
  stranger = await api.newCaller();
  const project = await makeProject(owner);
  const trained = await waitForJob(owner, project.project_id, await submit(owner, project));
  const { model_id } = trained.job_result as { model_id: string };
  ids = {
    ...{ ...project, job_id: await insertWaitingJob(trained.job_id) },
    ...{ model_id, generator_model_id: model_id },
  };
  registered = await listRegistered();
});
afterAll(() => api[Symbol.asyncDispose]());

/** One that no worker takes, since it is not in the queue: it waits until it is canceled. */
async function insertWaitingJob(like: string): Promise<string> {
  const [row] = await select<{ job_id: string }>(
    api.db,
    `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn)
      SELECT $2, account_id, project_key, job_type, name, job_data, turn FROM jobs WHERE job_id = $1 RETURNING job_id`,
    [like, newId('job')],
  );
  return row?.job_id ?? '';
}

/** What the server itself says it serves. */
async function listRegistered(): Promise<OperationName[]> {
  const document = (await (await fetch(`${api.baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(document.paths)
    .filter(([path]) => path !== tokenPath && path !== jwksPath)
    .map(([, methods]) => Object.values(methods)[0]?.operationId as OperationName)
    .filter((name) => Object.hasOwn(endpoints, name));
}

/** Fields that name a thing of the account's, each with an id that nobody has. */
const absent = {
  user_dataset_id: 'uds_00000000000000000000000000',
  item_dataset_id: 'ids_00000000000000000000000000',
  event_dataset_id: 'eds_00000000000000000000000000',
  project_id: 'prj_00000000000000000000000000',
  algorithm_id: 'alg_00000000000000000000000000',
  job_id: 'job_00000000000000000000000000',
  model_id: 'mdl_00000000000000000000000000',
  generator_model_id: 'mdl_00000000000000000000000000',
};
type IdField = keyof typeof absent;

interface RequestSchema {
  readonly properties?: Record<string, { type?: string; enum?: string[]; const?: string }>;
  readonly required?: string[];
}

/** A sound request for the operation: the ids it refers to are given, the rest is made up from its schema. */
function exampleOf(name: OperationName, given: Record<IdField, string>): Record<string, unknown> {
  const schema = operations[name].request as unknown as RequestSchema & { anyOf?: RequestSchema[] };
  const { properties = {}, required = [] } = schema.anyOf?.[0] ?? schema;
  return Object.fromEntries(
    required.map((field) => {
      if (field in absent) return [field, given[field as IdField]];
      if (field === 'queries') return [field, [{ conditions: [{ attribute: 'parity', value: '0' }] }]];
      const { type = '', enum: [first] = [], const: only } = properties[field] ?? {};
      return [field, only ?? first ?? { integer: 1, array: [], object: {} }[type] ?? 'x'];
    }),
  );
}

const own = (name: OperationName) => exampleOf(name, ids);

describe('every registered operation', () => {
  test('is known to this test', () => {
    expect(registered).toEqual(expect.arrayContaining([...operationNames]));
    expect(new Set(registered).size).toBe(registered.length);
  });

  test('answers 401 without a token, without a key, with a broken token, and with a token of another key', async () => {
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

  test('answers 403 to a token whose scope does not hold it', async () => {
    for (const name of registered) {
      const [, path] = endpoints[name];
      const otherScopes = registered.map((each) => endpoints[each][1]).filter((each) => each !== path);
      const { body } = await owner.requestToken(otherScopes.join(' '));
      const { access_token } = body as { access_token: string };
      const headers = { authorization: `Bearer ${access_token}`, apikey: owner.credentials.apiKey };
      const response = await answer(await fetch(...requestOf(api.baseUrl, name, own(name), headers)));
      expect({ name, ...response }).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
    }
  });

  test("answers another account's ids exactly as ids that do not exist", async () => {
    let compared = 0;
    for (const name of registered) {
      const foreign = own(name);
      const missing = exampleOf(name, absent);
      if (JSON.stringify(foreign) === JSON.stringify(missing)) continue;
      const ofAnother = await stranger.ask(name, foreign);
      const ofNobody = await stranger.ask(name, missing);
      expect({ name, status: ofAnother.status }).toEqual({ name, status: 404 });
      expect(ofNobody.status).toBe(404);
      expect({ ...ofAnother.body, request_id: '' }).toEqual({ ...ofNobody.body, request_id: '' });
      expect(headersOf(ofAnother.headers)).toEqual(headersOf(ofNobody.headers));
      compared++;
    }
    // All but those that take no id.
    expect(compared).toBe(
      registered.filter((name) => !/^create.*Dataset$|^list(?!Algorithms|Jobs|Models)|^recommend/.test(name))
        .length,
    );
  });

  test('answers its owner with what the contract says', async () => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    ajv.addVocabulary(['x-error-code', 'x-records']);
    // What others refer to goes last.
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
      // A second project would keep the datasets from being deleted.
      if (name === 'createProject')
        await owner.call('deleteProject', {
          project_id: (body as unknown as { project_id: string }).project_id,
        });
      // What serves is called, and keeps its model from being deleted until it is shut down.
      if (name === 'submitDeploymentJob')
        await waitForJob(owner, ids.project_id, (body as unknown as { job_id: string }).job_id);
      const validate = ajv.compile(operations[name].response as object);
      expect({ name, valid: validate(body), errors: validate.errors }).toEqual({
        name,
        valid: true,
        errors: null,
      });
    }
  });
});

function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)));
}
