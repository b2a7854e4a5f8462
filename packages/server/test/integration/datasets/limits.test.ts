import { limits } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { KindCaller, kinds, recordOf, recordsOf } from '../stack/kinds.ts';
import { caller, test } from '../stack/stack.ts';

const of = (kind: (typeof kinds)[number]) => new KindCaller(caller, kind);
/** One character with four bytes in UTF-8 and two UTF-16 code units. */
const wide = '𝄞';
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

describe.each(kinds)('a call that upserts %ss', (kind) => {
  test('accepts 1000 records', async () => {
    const id = await of(kind).createdId();
    const { status, body } = await of(kind).upsert(id, recordsOf(kind, numbered(1000)));
    expect(status).toBe(200);
    expect(body.succeed_ids).toEqual(numbered(1000));
    expect(await of(kind).count(id)).toBe(1000);
  });

  test('refuses 1001 records and writes none of them', async () => {
    const id = await of(kind).createdId();
    const { status, body } = await of(kind).upsert(id, recordsOf(kind, numbered(1001)));
    expect(status).toBe(413);
    expect(body).toMatchObject({ code: 'TOO_MANY_RECORDS', errors: [{ path: of(kind).names.records }] });
    expect(await of(kind).count(id)).toBe(0);
  });

  test('refuses 1001 records even if they are identical or invalid', async () => {
    const id = await of(kind).createdId();
    for (const record of [recordOf(kind, 'same'), null, 7]) {
      const { status, body } = await of(kind).upsert(id, new Array(1001).fill(record));
      expect({ status, code: body.code }).toEqual({ status: 413, code: 'TOO_MANY_RECORDS' });
    }
    expect(await of(kind).count(id)).toBe(0);
  });

  /** A record with exactly the given number of bytes as JSON in UTF-8. */
  function recordOfBytes(id: string, bytes: number, filler: string): object {
    const bare = Buffer.byteLength(JSON.stringify(recordOf(kind, id, { attributes: { text: '' } })));
    const times = Math.floor((bytes - bare) / Buffer.byteLength(filler));
    const text = filler.repeat(times) + '.'.repeat(bytes - bare - times * Buffer.byteLength(filler));
    const record = recordOf(kind, id, { attributes: { text } });
    expect(Buffer.byteLength(JSON.stringify(record))).toBe(bytes);
    return record;
  }

  const most = kind === 'event' ? limits.eventBytes : limits.userOrItemBytes;

  test.each(['x', 'é', '漢', wide])(
    'accepts a record of exactly the maximum bytes, filled with %s, and none larger',
    async (filler) => {
      const id = await of(kind).createdId();
      const records = [
        recordOfBytes('over', most + 1, filler),
        recordOfBytes('at', most, filler),
        recordOfBytes('far over', 10 * most, filler),
      ];
      const { body } = await of(kind).upsert(id, records);
      expect(body.succeed_ids).toEqual(['at']);
      expect(body.failures.map(({ index, id: failed, code }) => ({ index, id: failed, code }))).toEqual([
        { index: 0, id: 'over', code: 'RECORD_TOO_LARGE' },
        { index: 2, id: 'far over', code: 'RECORD_TOO_LARGE' },
      ]);
    },
  );

  test('accepts IDs of 256 characters (600 for events) of any width, and none longer', async () => {
    const id = await of(kind).createdId();
    const length = kind === 'event' ? 600 : 256;
    const [narrowest, widest] = ['x'.repeat(length), wide.repeat(length)];
    const [tooLong, tooLongAndWide] = ['x'.repeat(length + 1), wide.repeat(length + 1)];
    const { body } = await of(kind).upsert(
      id,
      recordsOf(kind, [narrowest, widest, tooLong, tooLongAndWide, '']),
    );
    expect(body.succeed_ids).toEqual([narrowest, widest]);
    expect(body.failed_ids).toEqual([tooLong, tooLongAndWide, '']);
    expect(body.failures.map(({ code }) => code)).toEqual(['ID_INVALID', 'ID_INVALID', 'ID_INVALID']);
  });
});

test('an event may have all its IDs and its type at their limits, in incompressible characters', async () => {
  const id = await of('event').createdId();
  // Random characters of four bytes, from 64 K different ones: PostgreSQL cannot compress them.
  const text = (length: number) =>
    Array.from({ length }, () => String.fromCodePoint(0x20000 + Math.floor(Math.random() * 0xa000))).join('');
  const [event_id, user_id, item_id] = [text(256), text(256), text(256)];
  const record = { event_id, user_id, item_id, ts: 1_700_000_000_000, event_type: text(100) };
  const { body } = await of('event').upsert(id, [
    record,
    { ...record, event_id: 'x', event_type: text(101) },
  ]);
  expect(body.succeed_ids).toEqual([event_id]);
  expect(body.failures).toMatchObject([{ id: 'x', code: 'FIELD_INVALID' }]);
});

describe.each(['user', 'item'] as const)('a call that deletes %ss', (kind) => {
  const ask = async (datasetId: string, ids: readonly unknown[]) =>
    kind === 'user'
      ? caller.ask('deleteDatasetUsers', { user_dataset_id: datasetId, ids })
      : caller.ask('deleteDatasetItems', { item_dataset_id: datasetId, ids });

  test('accepts 1000 IDs, refuses 1001 and then deletes none', async () => {
    const id = await of(kind).createdId();
    await of(kind).upsert(id, recordsOf(kind, numbered(1000)));
    const over = await ask(id, numbered(1001));
    expect({ status: over.status, code: over.body.code }).toEqual({ status: 413, code: 'TOO_MANY_RECORDS' });
    expect(await of(kind).count(id)).toBe(1000);
    const at = await ask(id, numbered(1000));
    expect(at.status).toBe(200);
    expect(at.body.deleted_ids).toEqual(numbered(1000));
    expect(await of(kind).count(id)).toBe(0);
  });

  test('accepts IDs of 256 characters, and none of 257', async () => {
    const id = await of(kind).createdId();
    expect((await ask(id, [wide.repeat(256)])).status).toBe(200);
    expect((await ask(id, [wide.repeat(257)])).status).toBe(400);
    expect((await ask(id, [''])).status).toBe(400);
  });
});
