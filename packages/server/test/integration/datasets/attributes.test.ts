import type { AttributeKind } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { KindCaller, placeOf, recordOf, storedRecords } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';

/** Values of an attribute and the kinds that accept them. */
const values: [unknown, AttributeKind[]][] = [
  [1, ['NUMERICAL', 'CATEGORICAL']],
  [-0.5, ['NUMERICAL', 'CATEGORICAL']],
  [1e300, ['NUMERICAL', 'CATEGORICAL']],
  ['text', ['CATEGORICAL', 'TEXT']],
  ['', ['CATEGORICAL', 'TEXT']],
  ['12', ['NUMERICAL', 'CATEGORICAL', 'TEXT']],
  [true, ['CATEGORICAL']],
  [
    ['a', 'b'],
    ['CATEGORICAL', 'TEXT'],
  ],
  [[], ['CATEGORICAL', 'TEXT']],
  [[1, 2], ['CATEGORICAL']],
  [['a', 1, false], ['CATEGORICAL']],
  [null, ['NUMERICAL', 'CATEGORICAL', 'TEXT']],
];

/** Values that no attribute of a user or item may have. */
const strange = [{}, { a: 1 }, [['a']], [{}], [null]];

describe.each(['user', 'item'] as const)("a %s's attribute", (kind) => {
  const of = () => new KindCaller(caller, kind);
  const attributeKinds: AttributeKind[] = [
    'NUMERICAL',
    'CATEGORICAL',
    ...(kind === 'item' ? ['TEXT' as const] : []),
  ];

  async function upsertValues(attribute_schema: object | null, list: readonly unknown[]) {
    const dataset = await of().createdId({ attribute_schema });
    const records = list.map((value, n) => recordOf(kind, `id-${n}`, { attributes: { declared: value } }));
    return (await of().upsert(dataset, records)).body;
  }

  test.each(attributeKinds)('that is declared %s accepts only values of that kind', async (attributeKind) => {
    const { succeed_ids, failures } = await upsertValues(
      { declared: attributeKind },
      values.map(([value]) => value),
    );
    const fits = values.map(([, takers]) => takers.includes(attributeKind));
    expect(succeed_ids).toEqual(fits.flatMap((fit, n) => (fit ? [`id-${n}`] : [])));
    expect(failures.map(({ index, code }) => ({ index, code }))).toEqual(
      fits.flatMap((fit, index) => (fit ? [] : [{ index, code: 'ATTRIBUTE_TYPE' }])),
    );
    for (const { message } of failures)
      expect(message).toMatch(new RegExp(`"declared".*\\b${attributeKind}\\b`));
  });

  test('that is declared NUMERICAL is stored as a number if it is sent as a numeric string', async () => {
    const attribute_schema = { price: 'NUMERICAL', code: 'CATEGORICAL' };
    const dataset = await of().createdId({ attribute_schema });
    const refused = ['', ' ', '0x10', 'Infinity'].map((price, n) =>
      recordOf(kind, `no-${n}`, { attributes: { price } }),
    );
    const sent = recordOf(kind, 'yes', { attributes: { price: '12.5', code: '12.5', other: '12.5' } });
    const { body } = await of().upsert(dataset, [sent, ...refused]);
    expect(body.succeed_ids).toEqual(['yes']);
    expect(body.failures.map(({ code }) => code)).toEqual(refused.map(() => 'ATTRIBUTE_TYPE'));
    const [stored] = await storedRecords(api.db, dataset);
    expect(stored?.attributes).toEqual({ price: 12.5, code: '12.5', other: '12.5' });
  });

  test.each([
    ['there is no schema', null],
    ['the schema does not name it', { other: 'NUMERICAL' }],
    ['the schema is empty', {}],
  ])('accepts any value when %s', async (_, schema) => {
    const { failures, succeed_ids } = await upsertValues(
      schema,
      values.map(([value]) => value),
    );
    expect(failures).toEqual([]);
    expect(succeed_ids).toHaveLength(values.length);
  });

  test.each([null, { declared: 'CATEGORICAL' }])(
    'is never an object or nested, with the schema %j',
    async (schema) => {
      const { failures, succeed_ids } = await upsertValues(schema, strange);
      expect(succeed_ids).toEqual([]);
      expect(failures.map(({ code }) => code)).toEqual(strange.map(() => 'ATTRIBUTE_TYPE'));
      for (const { message } of failures) expect(message).toContain('"declared"');
    },
  );

  test('is checked against the current schema', async () => {
    const dataset = await of().createdId({ attribute_schema: { age: 'NUMERICAL' } });
    const record = recordOf(kind, 'x', { attributes: { age: 'old' } });
    expect((await of().upsert(dataset, [record])).body.failures).toMatchObject([{ code: 'ATTRIBUTE_TYPE' }]);
    await of().update(dataset, { attribute_schema: null });
    expect((await of().upsert(dataset, [record])).body.succeed_ids).toEqual(['x']);
    await of().update(dataset, { attribute_schema: { age: 'NUMERICAL' } });
    expect((await of().upsert(dataset, [record])).body.failed_ids).toEqual(['x']);
    expect(await of().count(dataset)).toBe(1);
  });

  test('has a name of 1 to 200 characters, including names that JavaScript treats specially', async () => {
    const dataset = await of().createdId();
    const names = ['x'.repeat(200), '𝄞'.repeat(200), 'a.b', 'a/b~1', '__proto__', 'constructor', '$ref', ' '];
    const attributes = JSON.parse(
      `{${names.map((name) => `${JSON.stringify(name)}:"kept"`).join()}}`,
    ) as object;
    const bad = ['', 'x'.repeat(201), '𝄞'.repeat(201), 'a\nb', 'a\0b', '\ud800'];
    const { body } = await of().upsert(dataset, [
      recordOf(kind, 'good', { attributes }),
      ...bad.map((name, n) => recordOf(kind, `bad-${n}`, { attributes: { [name]: 1 } })),
    ]);
    expect(body.succeed_ids).toEqual(['good']);
    expect(body.failures.map(({ code }) => code)).toEqual(bad.map(() => 'FIELD_INVALID'));
    for (const { message } of body.failures) expect(message).toMatch(/^attributes .*\b1 to 200\b/);
    const [row] = await api.rows<{ names: string[] }>(
      `SELECT ARRAY(SELECT jsonb_object_keys(attributes)) AS names FROM ${kind}s
        WHERE dataset_key = $1 AND ${kind}_id = 'good'`,
      [(await placeOf(api.db, dataset)).dataset_key],
    );
    expect(row?.names.toSorted()).toEqual(names.toSorted());
  });

  test.each(['a\0b', '\ud800', ['fine', 'a\0b']])('cannot be %j, which cannot be stored', async (value) => {
    const { failures } = await upsertValues(null, [value, 'fine']);
    expect(failures).toMatchObject([{ index: 0, code: 'FIELD_INVALID' }]);
  });
});
