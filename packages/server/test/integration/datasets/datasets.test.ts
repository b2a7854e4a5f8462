import { describe, expect } from 'vitest';
import { KindCaller, kinds, namesOf, recordOf } from '../stack/kinds.ts';
import { api, test } from '../stack/stack.ts';

const newAccount = async (kind: (typeof kinds)[number]) => new KindCaller(await api.newCaller(), kind);

describe.each(kinds)('a %s dataset', (kind) => {
  const { datasetId, datasets, prefix } = namesOf[kind];
  const unset = kind === 'event' ? { retention_days: null } : {};

  test('is returned by create as requested, with its ID in the field of its kind', async () => {
    const of = await newAccount(kind);
    const attribute_schema = { age: 'NUMERICAL', genre: 'CATEGORICAL' };
    const { status, body } = await of.create({ name: 'mine', num_shards: 3, attribute_schema });
    const { [datasetId]: id, ...rest } = body;
    expect(status).toBe(200);
    expect(id).toMatch(new RegExp(`^${prefix}[0-9a-hjkmnp-tv-z]{26}$`));
    expect(rest).toEqual({ name: 'mine', num_shards: 3, attribute_schema, record_count: 0, ...unset });
    expect((await of.get(id as string)).body).toEqual(body);
  });

  test('has a null attribute_schema by default', async () => {
    const of = await newAccount(kind);
    for (const fields of [{}, { attribute_schema: null }]) {
      expect((await of.create(fields)).body.attribute_schema).toBeNull();
    }
    expect((await of.create({ attribute_schema: {} })).body.attribute_schema).toEqual({});
  });

  test('keeps attribute names unchanged, including names that JavaScript treats specially', async () => {
    const of = await newAccount(kind);
    const attribute_schema = JSON.parse(
      '{"__proto__":"NUMERICAL","constructor":"CATEGORICAL","a.b":"NUMERICAL","a/b~c":"NUMERICAL","toString":"NUMERICAL"}',
    ) as Record<string, string>;
    const { body } = await of.create({ attribute_schema });
    expect(Object.entries(body.attribute_schema ?? {}).toSorted()).toEqual(
      Object.entries(attribute_schema).toSorted(),
    );
  });

  test('counts its records', async () => {
    const of = await newAccount(kind);
    const id = await of.createdId();
    await of.upsert(id, [recordOf(kind, 'a'), recordOf(kind, 'b'), recordOf(kind, 'a')]);
    expect(await of.count(id)).toBe(2);
    expect((await of.list()).body[datasets]).toMatchObject([{ record_count: 2 }]);
  });

  test('is updated only in the fields that are sent', async () => {
    const of = await newAccount(kind);
    const first = { a: 'NUMERICAL' };
    const second = { b: 'CATEGORICAL' };
    const id = await of.createdId({ name: 'first', num_shards: 2, attribute_schema: first });
    await of.upsert(id, [recordOf(kind, 'a')]);
    const base = { [datasetId]: id, num_shards: 2, record_count: 1, ...unset };
    for (const [change, expected] of [
      [{}, { name: 'first', attribute_schema: first }],
      [{ name: 'second' }, { name: 'second', attribute_schema: first }],
      [{ attribute_schema: second }, { name: 'second', attribute_schema: second }],
      [{ attribute_schema: null }, { name: 'second', attribute_schema: null }],
      [{ name: 'third' }, { name: 'third', attribute_schema: null }],
      [
        { name: 'fourth', attribute_schema: first },
        { name: 'fourth', attribute_schema: first },
      ],
    ]) {
      const { status, body } = await of.update(id, change as object);
      expect({ status, body }).toEqual({ status: 200, body: { ...base, ...expected } });
      expect((await of.get(id)).body).toEqual({ ...base, ...expected });
    }
  });

  test('is returned by delete and is then gone', async () => {
    const of = await newAccount(kind);
    const id = await of.createdId({ name: 'doomed' });
    await of.upsert(id, [recordOf(kind, 'a')]);
    const last = (await of.get(id)).body;
    const { status, body } = await of.remove(id);
    expect({ status, body }).toEqual({ status: 200, body: last });
    const gone = [of.get(id), of.remove(id), of.update(id, { name: 'x' }), of.upsert(id, [])];
    for (const answer of await Promise.all<{ status: number; body: { code: string } }>(gone)) {
      expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 404, code: 'NOT_FOUND' });
    }
    expect((await of.list()).body).toEqual({ [datasets]: [], message: null, next_page_token: null });
  });

  test('is not found by the ID of another kind or an invalid ID', async () => {
    const caller = await api.newCaller();
    const of = new KindCaller(caller, kind);
    const id = await of.createdId();
    for (const other of kinds.filter((each) => each !== kind)) {
      expect((await new KindCaller(caller, other).get(id)).status).toBe(404);
      expect((await new KindCaller(caller, other).remove(id)).status).toBe(404);
    }
    const statuses = async (strange: string) =>
      (
        await Promise.all<{ status: number }>([
          of.get(strange),
          of.remove(strange),
          of.update(strange, {}),
          of.upsert(strange, []),
        ])
      ).map(({ status }) => status);
    for (const strange of ['', 'x', `${id} `, id.toUpperCase(), 'é', "' OR true --", '%']) {
      expect({ strange, statuses: await statuses(strange) }).toEqual({
        strange,
        statuses: [404, 404, 404, 404],
      });
    }
    // PostgreSQL cannot represent this text in a query.
    for (const unprintable of ['\0', `${id}\0`]) {
      expect(await statuses(unprintable)).toEqual([400, 400, 400, 400]);
    }
    expect((await of.get(id)).status).toBe(200);
  });

  test('is created only with known fields', async () => {
    const of = await newAccount(kind);
    const { status, body } = await of.create({ shards: 4 });
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ path: 'shards' }] });
    expect((await of.create({ name: undefined })).body.errors).toEqual([
      { path: 'name', message: expect.any(String) as string },
    ]);
  });
});
