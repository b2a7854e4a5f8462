import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { answer, requestOf } from '../stack/caller.ts';
import { KindCaller, kinds, recordOf, storedRecords } from '../stack/kinds.ts';
import { api, caller, test } from '../stack/stack.ts';

describe.each(kinds)('an upsert of %ss', (kind) => {
  const of = () => new KindCaller(caller, kind);

  test('returns IDs in the order of the request, and why each failed record failed', async () => {
    const dataset = await of().createdId();
    const { status, body } = await of().upsert(dataset, [
      recordOf(kind, 'z'),
      recordOf(kind, 'bad-2', { attributes: 7 }),
      recordOf(kind, 'a'),
      recordOf(kind, 'bad-1', { colour: 'red' }),
      recordOf(kind, 'm'),
    ]);
    const { failures, ...rest } = body;
    expect(status).toBe(200);
    expect(rest).toEqual({
      [of().names.datasetId]: dataset,
      succeed_ids: ['z', 'a', 'm'],
      failed_ids: ['bad-2', 'bad-1'],
      failed_count: 2,
    });
    expect(failures).toEqual([
      {
        index: 1,
        id: 'bad-2',
        code: 'FIELD_INVALID',
        message: expect.stringContaining('attributes') as string,
      },
      {
        index: 3,
        id: 'bad-1',
        code: 'FIELD_INVALID',
        message: expect.stringContaining('"colour"') as string,
      },
    ]);
    expect((await storedRecords(api.db, dataset)).map(({ id }) => id)).toEqual(['a', 'm', 'z']);
  });

  test('identifies a record without an ID by its index', async () => {
    const dataset = await of().createdId();
    const strange = [null, 7, 'text', [], {}, recordOf(kind, 5), recordOf(kind, null), recordOf(kind, ['x'])];
    const { body } = await of().upsert(dataset, [...strange, recordOf(kind, 'good')]);
    expect(body.succeed_ids).toEqual(['good']);
    expect(body.failed_ids).toEqual(['5']);
    expect(body.failed_count).toBe(strange.length);
    expect(body.failures.map(({ index, code }) => ({ index, code }))).toEqual(
      strange.map((_, index) => ({ index, code: 'ID_INVALID' })),
    );
    expect(body.failures.flatMap(({ index, id }) => (id === undefined ? [] : [[index, id]]))).toEqual([
      [5, '5'],
    ]);
  });

  test('treats a numeric ID as the same as its text, and refuses it', async () => {
    const dataset = await of().createdId();
    const { body } = await of().upsert(dataset, [
      recordOf(kind, 7),
      recordOf(kind, '7'),
      recordOf(kind, '8'),
      recordOf(kind, 8),
    ]);
    expect(body).toMatchObject({ succeed_ids: ['7'], failed_ids: ['8'], failed_count: 1 });
    expect(body.failures).toMatchObject([{ index: 3, id: '8', code: 'ID_INVALID' }]);
  });

  test.each(['', 'a\u0000b', 'a\nb', '\u007f', '\u0085', '\ud800', 'x'.repeat(kind === 'event' ? 601 : 257)])(
    'refuses the id %j as ID_INVALID',
    async (id) => {
      const dataset = await of().createdId();
      const { body } = await of().upsert(dataset, [recordOf(kind, id)]);
      expect(body.failures).toMatchObject([{ index: 0, id, code: 'ID_INVALID' }]);
      expect(body.failed_ids).toEqual([id]);
    },
  );

  test('writes the last of several records with one ID, and returns the ID once', async () => {
    const dataset = await of().createdId();
    const { body } = await of().upsert(dataset, [
      recordOf(kind, 'twice', { attributes: { turn: 1 } }),
      recordOf(kind, 'once'),
      recordOf(kind, 'twice', { attributes: { turn: 2 } }),
      recordOf(kind, 'sound-first'),
      recordOf(kind, 'sound-last', { attributes: 7 }),
      recordOf(kind, 'sound-first', { attributes: 7 }),
      recordOf(kind, 'sound-last'),
    ]);
    expect(body.succeed_ids).toEqual(['once', 'twice', 'sound-last']);
    expect(body.failed_ids).toEqual(['sound-first']);
    expect(body.failures.map(({ index }) => index)).toEqual([5]);
    const rows = await storedRecords(api.db, dataset);
    expect(rows.map(({ id }) => id)).toEqual(['once', 'sound-last', 'twice']);
    expect(rows[2]?.attributes).toEqual({ turn: 2 });
    expect(await of().count(dataset)).toBe(3);
  });

  test('replaces the whole record', async () => {
    const dataset = await of().createdId();
    const full = { attributes: { a: 1, b: 'two' }, ...(kind === 'event' ? { event_value: 5 } : {}) };
    await of().upsert(dataset, [recordOf(kind, 'x', full)]);
    await of().upsert(dataset, [recordOf(kind, 'x', { attributes: { c: true } })]);
    const [second] = await storedRecords(api.db, dataset);
    expect(second?.attributes).toEqual({ c: true });
    if (kind === 'event') expect(second).toMatchObject({ event_value: 1 });
    await of().upsert(dataset, [recordOf(kind, 'x')]);
    const [third] = await storedRecords(api.db, dataset);
    expect(third?.attributes ?? {}).toEqual({});
    expect(await of().count(dataset)).toBe(1);
  });

  test('compares IDs by their bytes', async () => {
    const dataset = await of().createdId();
    const ids = [
      'a',
      'A',
      'a ',
      ' a',
      'é',
      'e\u0301',
      'ß',
      'ss',
      'ı',
      'i',
      '１',
      '1',
      '01',
      "'",
      '"',
      '\\',
      '%',
      '🎵',
      '\u200b',
      'NULL',
    ];
    const { body } = await of().upsert(
      dataset,
      ids.map((id) => recordOf(kind, id, { attributes: { was: id } })),
    );
    expect(body.succeed_ids).toEqual(ids);
    const rows = await storedRecords(api.db, dataset);
    expect(rows.map(({ id }) => id)).toEqual(
      ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    for (const { id, attributes } of rows) expect(attributes).toEqual({ was: id });
    expect(await of().count(dataset)).toBe(ids.length);
  });

  test('of identical records writes nothing', async () => {
    const dataset = await of().createdId();
    const batch = Array.from({ length: 50 }, (_, n) =>
      recordOf(kind, `id-${n}`, { attributes: { n, tags: ['a', 'b'] } }),
    );
    const first = await of().upsert(dataset, batch);
    const versions = await storedRecords(api.db, dataset, 'xmin::text, ctid::text');
    const again = await of().upsert(dataset, batch);
    expect(again.body).toEqual(first.body);
    expect(await storedRecords(api.db, dataset, 'xmin::text, ctid::text')).toEqual(versions);
    const changed = await of().upsert(dataset, [...batch.slice(1), recordOf(kind, 'id-0')]);
    expect(changed.body.succeed_ids).toHaveLength(50);
    const after = await storedRecords(api.db, dataset, 'xmin::text, ctid::text');
    expect(after.filter((row, n) => row['ctid'] !== versions[n]?.['ctid']).map(({ id }) => id)).toEqual([
      'id-0',
    ]);
    expect(await of().count(dataset)).toBe(50);
  });

  test('may be gzip', async () => {
    const dataset = await of().createdId();
    const request = { [of().names.datasetId]: dataset, [of().names.records]: [recordOf(kind, 'zipped')] };
    const [url, init] = requestOf(api.baseUrl, of().names.upsert, request, await caller.headers());
    const headers = { ...(init.headers as Record<string, string>), 'content-encoding': 'gzip' };
    const body = gzipSync(JSON.stringify(request));
    expect(await answer(await fetch(url, { ...init, headers, body }))).toMatchObject({
      status: 200,
      body: { succeed_ids: ['zipped'] },
    });
  });

  test('of no records succeeds', async () => {
    const dataset = await of().createdId();
    const { status, body } = await of().upsert(dataset, []);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        [of().names.datasetId]: dataset,
        succeed_ids: [],
        failed_ids: [],
        failed_count: 0,
        failures: [],
      },
    });
  });

  test('is visible to the next call of any process', async () => {
    const dataset = await of().createdId();
    for (let n = 1; n <= 5; n++) {
      await of().upsert(dataset, [recordOf(kind, `id-${n}`)]);
      expect(await of().count(dataset)).toBe(n);
    }
  });
});
