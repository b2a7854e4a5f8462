import { limits } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { partitionRecords } from '../../src/datasets/records/partition-records.ts';
import { bodyRulesOf } from '../../src/http/body/body-rules.ts';
import { ListGuard } from '../../src/http/body/decompress.ts';
import { hasMoreParts, parseBody } from '../../src/http/body/parse-body.ts';
import { parseLargeBody } from '../../src/http/body/parse-list-body.ts';
import { RefusedRecord, UnparsedRecord } from '../../src/http/body/records.ts';
import { slices } from '../../src/kernel/lib/slices.ts';
import { watchLoop } from '../watch-loop.ts';

const events = bodyRulesOf('upsertDatasetEvents');
const users = bodyRulesOf('upsertDatasetUsers');
const deletes = bodyRulesOf('deleteDatasetUsers');
const queries = bodyRulesOf('submitQueryingJob');

const parse = async (text: string, rules = events) => {
  const body = await parseBody(Buffer.from(text), rules, 'account');
  const { events: records } = (body ?? {}) as { events?: unknown };
  return Array.isArray(records) ? Object.assign(body as object, { events: records.map(parsed) }) : body;
};
const parsed = (record: unknown) =>
  record instanceof UnparsedRecord ? UnparsedRecord.parse(record) : record;
const faultOf = async (text: string, rules = events) =>
  parse(text, rules).then(
    () => 'none',
    (error: unknown) => (error as { code?: string }).code,
  );
const bodyOf = (records: readonly string[]) => `{"event_dataset_id":"eds_1","events":[${records.join(',')}]}`;
const large = 'x'.repeat(2 * 1024 * 1024);

describe('a large upsert', () => {
  test('is parsed to the value of its JSON', async () => {
    const records = Array.from({ length: 1000 }, (_, n) => ({
      event_id: `é${n}`,
      attributes: { text: 'a"\\\n'.repeat(50) },
    }));
    const body = { event_dataset_id: 'eds_1', events: records };
    expect(await parse(JSON.stringify(body))).toEqual(body);
    expect(await parse(JSON.stringify(body, null, 8))).toEqual(body);
  });

  test('with one record too many is refused before any record is parsed', async () => {
    const records = Array.from({ length: 1001 }, () => `{"attributes":"${'x'.repeat(1500)}"}`);
    expect(await faultOf(bodyOf(records))).toBe('TOO_MANY_RECORDS');
    expect(await faultOf(`{"events":[${'"",'.repeat(1e6)}""]}`)).toBe('TOO_MANY_RECORDS');
    expect(await faultOf(`{"user_dataset_id":"x","ids":[${'0,'.repeat(1e6)}0]}`, deletes)).toBe(
      'TOO_MANY_RECORDS',
    );
  });

  test('within the limits of records and bytes is accepted with any number of values', async () => {
    const record = `{"event_id":"e","attributes":{"a":[${'1,'.repeat(10_000)}1]}}`;
    const text = bodyOf(new Array<string>(1000).fill(record));
    const body = (await parseBody(Buffer.from(text), events, 'account')) as { events: unknown[] };
    expect(body.events).toHaveLength(1000);
    // Not all of them: their ten million values take seconds.
    const last = parsed(body.events[999]) as { attributes: { a: number[] } };
    expect(last.attributes.a).toHaveLength(10_001);
  });

  test('accepts a record within the size limit, with any white space and escapes', async () => {
    const text = 'a'.repeat(20_000);
    const escaped = '\\u0061'.repeat(20_000);
    const spaced = `{ "event_id" : "e", ${' '.repeat(1_000_000)} "attributes" : { "text" : "${text}" } }`;
    const parsed = await parse(bodyOf([`{"event_id":"e","attributes":{"text":"${escaped}"}}`, spaced]));
    const record = { event_id: 'e', attributes: { text } };
    expect(parsed).toEqual({ event_dataset_id: 'eds_1', events: [record, record] });
  });

  test('keeps only the ID of a record that is far too large', async () => {
    const values = `"attributes":{"event_id":"inner","a":[${'[],'.repeat(100_000)}0]}`;
    const { events: parsed } = (await parse(
      bodyOf([
        `{"event_id":"first",${values}}`,
        `{${values},"event_id":"l\\u0061st"}`,
        `{"event_id":7,${values}}`,
        `{${values}}`,
        `[${'[],'.repeat(100_000)}0]`,
        `{"event_id":"small"}`,
      ]),
    )) as { events: object[] };
    expect(parsed.map((record) => ({ ...record }))).toEqual([
      { event_id: 'first' },
      { event_id: 'last' },
      { event_id: 7 },
      {},
      {},
      { event_id: 'small' },
    ]);
  });

  test.each([
    ['nested deep', `[${'['.repeat(30_000)}${']'.repeat(30_000)}]`],
    ['of many names', `{${Array.from({ length: limits.recordNames + 1 }, (_, n) => `"n${n}":1`).join()}}`],
  ])('fails only the record %s, without parsing it', async (_, attributes) => {
    const fill = Array.from(
      { length: 60 },
      (_, n) => `{"user_id":"${n}","attributes":{"a":"${'x'.repeat(20_000)}"}}`,
    );
    const text = `{"users":[{"attributes":${attributes},"user_id":"bad"},${fill.join()}]}`;
    const { users: records } = (await parse(text, users)) as { users: unknown[] };
    expect(records[0]).toBeInstanceOf(RefusedRecord);
    const { valid, failed } = await partitionRecords('user', null, records, slices.start('account'));
    expect(failed).toMatchObject([{ index: 0, id: 'bad', code: 'FIELD_INVALID' }]);
    expect(valid).toHaveLength(60);
  });

  test('may have nothing else that is large', async () => {
    expect(await faultOf(`{"events":[],"more":"${large}"}`)).toBe('BODY_TOO_LARGE');
    expect(await faultOf(`{"events":{"a":"${large}"}}`)).toBe('BODY_TOO_LARGE');
    expect(await faultOf(`[${'[],'.repeat(1e6)}0]`)).toBe('BODY_TOO_LARGE');
    expect(await parse(`{"events":[]${' '.repeat(4_000_000)}}`)).toEqual({ events: [] });
  });

  test('that is not valid JSON or UTF-8 is refused', async () => {
    const record = `{"event_id":"${'x'.repeat(1000)}"}`;
    const many = new Array<string>(100).fill(record).join(',');
    const broken = [
      `[${many},]`,
      `[,${many}]`,
      `[${many}`,
      `[${many}}]`,
      `[${many} 1]`,
      `[${many}]]`,
      `[${many}],`,
    ];
    for (const list of broken) expect(await faultOf(`{"events":${list}}`)).toBe('INVALID_REQUEST');
    const body = Buffer.from(bodyOf([`"${'é'.repeat(1_000_000)}"`]));
    const at = body.length - 1000;
    body[at] = 0xff;
    await expect(parseBody(body, events, 'account')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

test('a body other than an upsert is limited in values, and more tightly in names with escapes', async () => {
  const names = (name: (n: number) => string) =>
    Array.from({ length: 10_000 }, (_, n) => `"${name(n)}":1`).join();
  expect(await faultOf(`{${names((n) => `n${n}`)}}`, queries)).toBe('none');
  expect(await faultOf(`{${names((n) => `\\n${n}`)}}`, queries)).toBe('BODY_TOO_LARGE');
  expect(await faultOf(`{"values":[${'"\\n\\n",'.repeat(10_000)}""]}`, queries)).toBe('none');
  expect(await faultOf(`{"queries":[${'[],'.repeat(1_000_000)}0]}`, queries)).toBe('BODY_TOO_LARGE');
  const conditions = Array.from({ length: 20 }, () => ({
    attribute: 'a'.repeat(200),
    value: 'v'.repeat(100),
    lower_bound: 0.1,
    upper_bound: 0.9,
  }));
  const full = { queries: Array.from({ length: 100 }, () => ({ conditions })) };
  expect(await parse(JSON.stringify(full), queries)).toEqual(full);
});

test('white space outside the list is skipped at full speed', () => {
  const body = Buffer.from(`{"events":[]${' '.repeat(4 * 1024 * 1024)}}`);
  const cpuMs = (scan: () => void) => {
    const before = process.threadCpuUsage();
    scan();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const list = events.list;
  if (!list) throw new Error('an upsert has a list');
  const best = (scan: () => void) => Math.min(...[1, 2, 3, 4, 5].map(() => cpuMs(scan)));
  const bare = best(() => hasMoreParts(body, limits.bodyParts));
  // Byte by byte it would take longer than counting the parts of the body, which is optimized.
  expect(best(() => new ListGuard(list, limits.smallBodyBytes).check(body))).toBeLessThan(bare);
});

describe('without a thread, the work on a large body is spread over many iterations of the event loop:', () => {
  const values = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
  const eventsOf = (attributes: string) =>
    Array.from(
      { length: 125 },
      (_, n) =>
        `{"event_id":"e${n}","user_id":"u","item_id":"i","ts":1,"event_type":"t","attributes":${attributes}}`,
    );
  const usersOf = (count: number, attributes: string) =>
    Array.from({ length: count }, (_, n) => `{"user_id":"u${n}","attributes":${attributes}}`);
  const userBody = (records: readonly string[]) => `{"user_dataset_id":"x","users":[${records.join(',')}]}`;
  const keys = Array.from({ length: 1800 }, (_, n) => `"k${n}":1`).join(',');
  const cases = {
    'events of 20 KB of numbers': [events, bodyOf(eventsOf(`{"a":[${values('1,', 20_000)}1]}`))],
    'events of 20 KB of brackets': [events, bodyOf(eventsOf(`{"a":[${values('[],', 20_000)}1]}`))],
    'events of 20 KB of keys': [events, bodyOf(eventsOf(`{${keys}}`))],
    'users of 32 KiB': [users, userBody(usersOf(125, `{"a":[${values('"v",', 32_000)}"v"]}`))],
    'records far too large': [users, userBody(usersOf(2, `{"a":[${values('[],', 2_000_000)}1]}`))],
    'one string of 4 MB': [events, bodyOf([`"${values('x', 4_000_000)}"`])],
    'white space': [events, `{"events":[${values(' ', 4_000_000)}]}`],
  } as const;
  test.each(Object.entries(cases))('%s', { timeout: 120_000 }, async (_, [rules, text]) => {
    const body = Buffer.from(text);
    expect(body.length).toBeLessThanOrEqual(limits.bodyBytes);
    // In a single step the share would be 1. The rest is mostly garbage collection.
    const { worstMs, totalMs } = await watchLoop(async () => {
      if (!rules.list) throw new Error('an upsert has a list');
      const slice = slices.start('account');
      const request = (await parseLargeBody(body, rules.list, slice)) as Record<string, unknown[]>;
      const [kind, records] =
        rules === events ? (['event', 'events'] as const) : (['user', 'users'] as const);
      await partitionRecords(kind, null, request[records] ?? [], slices.start('account'));
    });
    expect(worstMs / totalMs).toBeLessThan(0.5);
  });
});
