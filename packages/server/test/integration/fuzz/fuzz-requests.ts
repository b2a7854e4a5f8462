import { endpoints, type OperationName, operations } from '@tastegraph/contract';
import fc from 'fast-check';
import type { RawRequest } from './fuzz-http.ts';
import { anyJson, anyText, nestedJson, numberJson, objectJson } from './fuzz-json.ts';

export interface NamedRequest extends RawRequest {
  readonly name: OperationName;
}

/** Any body for any operation: random JSON, or the operation's own fields with random values. */
export function anyBody(
  names: readonly OperationName[],
  datasetIds: Readonly<Record<string, string>>,
): fc.Arbitrary<NamedRequest> {
  const withBody = names.filter((name) => endpoints[name][0] !== 'GET');
  return fc.constantFrom(...withBody).chain((name) => {
    const [method, path] = endpoints[name];
    return bodyOf(name, datasetIds).map((body) => ({
      name,
      method,
      path,
      headers: { 'content-type': 'application/json' },
      body: [Buffer.from(body)],
    }));
  });
}

function bodyOf(name: OperationName, datasetIds: Readonly<Record<string, string>>): fc.Arbitrary<string> {
  // The other cases need the dataset, so it must not be deleted.
  const idOf = (field: string) => (/^delete.*Dataset$/.test(name) ? undefined : datasetIds[field]);
  const fieldOf = (field: string) => fc.tuple(fc.constant(field), fieldJson(field));
  const rightOf = (field: string) => {
    const id = idOf(field);
    return id === undefined ? fieldOf(field) : fc.constant([field, JSON.stringify(id)] as const);
  };
  const some = fc.array(fc.constantFrom(...fieldsOf(name)).chain(fieldOf), { maxLength: 6 });
  const whole = fc.tuple(...fieldsOf(name).map(rightOf));
  return fc.oneof(
    { weight: 1, arbitrary: anyJson },
    { weight: 1, arbitrary: some.map(objectJson) },
    { weight: 4, arbitrary: whole.map(objectJson) },
    { weight: 1, arbitrary: fc.tuple(some, whole).map((parts) => objectJson(parts.flat())) },
  );
}

function fieldsOf(name: OperationName): string[] {
  type Schema = { readonly properties: object };
  const schema = operations[name].request as unknown as Schema & { readonly anyOf?: readonly Schema[] };
  return Object.keys((schema.anyOf?.[0] ?? schema).properties);
}

/** Values that are almost valid reach deeper code. */
function fieldJson(field: string): fc.Arbitrary<string> {
  const near: Record<string, fc.Arbitrary<string>> = {
    name: anyText.map((text) => JSON.stringify(text)),
    num_shards: fc.oneof(numberJson, fc.constant('1')),
    ts: numberJson,
    start_ts: numberJson,
    user_id: anyText.map((text) => JSON.stringify(text)),
    ids: fc.array(anyText, { maxLength: 5 }).map((ids) => JSON.stringify(ids)),
    attribute_schema: fc
      .array(fc.tuple(anyText, fc.constantFrom('"NUMERICAL"', '"CATEGORICAL"', '"TEXT"', '"text"', '1')), {
        maxLength: 4,
      })
      .map(objectJson),
  };
  const guess =
    near[field] ?? (field.endsWith('_id') ? anyText.map((text) => JSON.stringify(text)) : anyJson);
  return fc.oneof({ weight: 3, arbitrary: guess }, { weight: 1, arbitrary: anyJson });
}

/** Any query string for the GET operations. */
export function anyQuery(names: readonly OperationName[]): fc.Arbitrary<NamedRequest> {
  const gets = names.filter((name) => endpoints[name][0] === 'GET');
  const encoded = fc.oneof(
    anyText.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom(
      '',
      '1',
      '0',
      '-1',
      '1e3',
      '1001',
      '%',
      '%zz',
      '%00',
      '%ff%fe',
      '%ud800',
      'MQ',
      'MQ==',
      'LTE',
      'Mi41',
    ),
    fc.stringMatching(/^[!-"$-~]{0,12}$/),
  );
  return fc.constantFrom(...gets).chain((name) => {
    const key = fc.oneof(
      fc.constantFrom(...fieldsOf(name)),
      fc.constantFrom('__proto__', 'a[b]', 'a[]', ''),
      encoded,
    );
    return fc.array(fc.tuple(key, encoded), { maxLength: 4 }).map((pairs) => {
      const [method, path] = endpoints[name];
      const query = pairs.map(([left, right]) => `${left}=${right}`).join('&');
      return { name, method, path: `${path}?${query}`, headers: {} };
    });
  });
}

/** Deeply nested JSON, complete or not, alone or inside a valid request. */
export const anyDeepJson: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(10, 100, 5000, 100_000), fc.constantFrom('[' as const, '{' as const), fc.nat(3))
  .map(([depth, open, place]) => {
    const deep = nestedJson(depth, open);
    return (
      [
        deep,
        deep.slice(0, depth),
        `{"event_dataset_id":"x","events":${deep}}`,
        `{"name":${deep},"num_shards":1}`,
      ][place] ?? deep
    );
  });
