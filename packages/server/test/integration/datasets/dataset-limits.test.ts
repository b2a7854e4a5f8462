import { describe, expect } from 'vitest';
import { KindCaller, kinds } from '../stack/kinds.ts';
import { api, caller, invalid, test } from '../stack/stack.ts';

const of = (kind: (typeof kinds)[number]) => new KindCaller(caller, kind);
/** One character with four bytes in UTF-8 and two UTF-16 code units. */
const wide = '𝄞';
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

describe.each(kinds)('a %s dataset', (kind) => {
  test.each([1, 10_000])('may have %i shards', async (num_shards) => {
    // In a separate account: an event dataset of 10,000 shards uses up the plan.
    const { status, body } = await new KindCaller(await api.newCaller(), kind).create({ num_shards });
    expect({ status, num_shards: body.num_shards }).toEqual({ status: 200, num_shards });
  });

  test.each([0, -1, 10_001, 1.5, '1', null, undefined, true, [1]])(
    'cannot have %s shards',
    async (num_shards) => {
      expect(await of(kind).create({ num_shards })).toMatchObject(invalid('num_shards'));
    },
  );

  test('has a name of 1 to 200 characters of any width, without control characters', async () => {
    for (const name of ['x', wide.repeat(200), ' ']) {
      const { status, body } = await of(kind).create({ name });
      expect({ status, name: body.name }).toEqual({ status: 200, name });
      const id = body[of(kind).names.datasetId] as string;
      expect((await of(kind).update(id, { name: 'y'.repeat(200) })).status).toBe(200);
      expect((await of(kind).update(id, { name: wide.repeat(201) })).status).toBe(400);
    }
    for (const name of ['', wide.repeat(201), 'a\nb', 'a\u0000b', 'a\u0085b', '\ud800', 7, null]) {
      expect(await of(kind).create({ name })).toMatchObject(invalid('name'));
    }
  });

  test('may have up to 200 names of 1 to 200 characters in its attribute_schema', async () => {
    const schemaOf = (count: number) =>
      Object.fromEntries(numbered(count).map((name) => [name, 'NUMERICAL']));
    const at = await of(kind).create({ attribute_schema: schemaOf(200) });
    expect(at.body.attribute_schema).toEqual(schemaOf(200));
    const long = { [wide.repeat(200)]: 'CATEGORICAL' };
    expect((await of(kind).create({ attribute_schema: long })).body.attribute_schema).toEqual(long);
    for (const attribute_schema of [
      schemaOf(201),
      { [wide.repeat(201)]: 'NUMERICAL' },
      { '': 'NUMERICAL' },
    ]) {
      const over = await of(kind).create({ attribute_schema });
      expect({ status: over.status, code: over.body.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    }
  });

  test(`${kind === 'item' ? 'accepts' : 'refuses'} TEXT in its attribute_schema`, async () => {
    const created = await of(kind).create({ attribute_schema: { title: 'TEXT' } });
    expect(created.status).toBe(kind === 'item' ? 200 : 400);
    const updated = await of(kind).update(await of(kind).createdId(), {
      attribute_schema: { title: 'TEXT' },
    });
    expect(updated.status).toBe(kind === 'item' ? 200 : 400);
  });

  test.each([[{}], [{ a: 'numerical' }], [{ a: 'IMAGE' }], [{ a: null }], [[]], ['NUMERICAL']])(
    'accepts as attribute_schema only a map of known kinds: %j',
    async (attribute_schema) => {
      const empty = JSON.stringify(attribute_schema) === '{}';
      const { status, body } = await of(kind).create({ attribute_schema });
      expect(status).toBe(empty ? 200 : 400);
      if (!empty) expect(body.errors.every(({ path }) => path.startsWith('attribute_schema'))).toBe(true);
    },
  );

  test.each([
    ['1', 200],
    ['1000', 200],
    ['0', 400],
    ['1001', 400],
    ['-1', 400],
    ['2.5', 400],
    ['', 400],
    ['ten', 400],
  ])('is listed with page_size=%s: %i', async (page_size, expected) => {
    const { status, body } = await of(kind).list({ page_size });
    expect(status).toBe(expected);
    if (status === 400) expect(body.errors.map(({ path }) => path)).toEqual(['page_size']);
  });
});
