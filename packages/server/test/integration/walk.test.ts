import { endpoints, jwksPath, type OperationName, operations, tokenPath } from '@tastegraph/contract';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';
import { answer, type Caller, requestOf } from './caller.ts';

let api: TestApi;
let owner: Caller;
let stranger: Caller;
let ids: { user: string; item: string; event: string };
let registered: OperationName[];

beforeAll(async () => {
  api = await startTestApi();
  owner = await api.newCaller();
  stranger = await api.newCaller();
  ids = {
    user: (await owner.call('createUserDataset', { name: 'u', num_shards: 1 })).user_dataset_id,
    item: (await owner.call('createItemDataset', { name: 'i', num_shards: 1 })).item_dataset_id,
    event: (await owner.call('createEventDataset', { name: 'e', num_shards: 1 })).event_dataset_id,
  };
  registered = await listRegistered();
});
afterAll(() => api[Symbol.asyncDispose]());

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

const datasetFields = {
  user_dataset_id: 'user',
  item_dataset_id: 'item',
  event_dataset_id: 'event',
} as const;

/** A sound request for the operation: the ids it refers to come from `idOf`, the rest is made up from its schema. */
function exampleOf(
  name: OperationName,
  idOf: (kind: 'user' | 'item' | 'event') => string,
): Record<string, unknown> {
  const { properties = {}, required = [] } = operations[name].request as unknown as {
    properties?: Record<string, { type?: string }>;
    required?: string[];
  };
  return Object.fromEntries(
    required.map((field) => {
      if (field in datasetFields) return [field, idOf(datasetFields[field as keyof typeof datasetFields])];
      const { type } = properties[field] ?? {};
      return [field, type === 'integer' ? 1 : type === 'array' ? [] : 'x'];
    }),
  );
}

const own = (name: OperationName) => exampleOf(name, (kind) => ids[kind]);
const absent = {
  user: 'uds_00000000000000000000000000',
  item: 'ids_00000000000000000000000000',
  event: 'eds_00000000000000000000000000',
};

describe('every registered operation', () => {
  test('is known to this test', () => {
    expect(registered.length).toBeGreaterThanOrEqual(22);
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
      const missing = exampleOf(name, (kind) => absent[kind]);
      if (JSON.stringify(foreign) === JSON.stringify(missing)) continue;
      const ofAnother = await stranger.ask(name, foreign);
      const ofNobody = await stranger.ask(name, missing);
      expect({ name, status: ofAnother.status }).toEqual({ name, status: 404 });
      expect(ofNobody.status).toBe(404);
      expect({ ...ofAnother.body, request_id: '' }).toEqual({ ...ofNobody.body, request_id: '' });
      expect(headersOf(ofAnother.headers)).toEqual(headersOf(ofNobody.headers));
      compared++;
    }
    expect(compared).toBe(registered.filter((name) => !/^(create|list)/.test(name)).length);
  });

  test('answers its owner with what the contract says', async () => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    ajv.addVocabulary(['x-error-code', 'x-records']);
    // Deletes of whole datasets last: the others need them.
    const order = registered.toSorted(
      (a, b) => Number(/^delete.*Dataset$/.test(a)) - Number(/^delete.*Dataset$/.test(b)),
    );
    for (const name of order) {
      const { status, body } = await owner.ask(name, own(name));
      expect({ name, status }).toEqual({ name, status: 200 });
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
