import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { limits } from '@tastegraph/contract';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { datasetLockKey } from '../../../src/datasets/rows/datasets.ts';
import { growthOf, startApiProcess } from '../stack/api-process.ts';
import { Caller, makeCredentials } from '../stack/caller.ts';
import { cloneDatabase, connectTo, ofThisDatabase } from '../stack/database.ts';
import { perFile } from '../stack/stack.ts';

let caller: Caller;
let dataset: string;

const database = perFile(() => cloneDatabase());
// A separate process, so that its memory is only the server's and a crash does not end the test run.
const api = perFile(() => startApiProcess({ databaseUrl: database.url, redisUrl: inject('redisUrl') }));

beforeAll(async () => {
  caller = new Caller(api.baseUrl, await makeCredentials(database.url));
  dataset = (await caller.call('createUserDataset', { name: 'u', num_shards: 1 })).user_dataset_id;
});

interface Sent {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly detail: string | undefined;
}

/** Sends raw bytes. */
async function send(
  body: Buffer,
  headers: Record<string, string> = {},
  path = '/upsert-dataset-users',
): Promise<Sent> {
  const told = headers['transfer-encoding'] ? {} : { 'content-length': String(body.length) };
  const all = { 'content-type': 'application/json', ...told, ...(await caller.headers()), ...headers };
  const method = path.startsWith('/delete') ? 'DELETE' : 'POST';
  const sending = request(`${api.baseUrl}${path}`, { method, headers: all });
  // Of the connection of a body that was refused while it was sent.
  sending.on('error', () => undefined);
  sending.end(body);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const { code, detail } = JSON.parse(await text(response)) as { code?: string; detail?: string };
  return { status: response.statusCode, code, detail };
}

async function sendByFetch(body: Buffer<ArrayBuffer>): Promise<Sent> {
  const headers = { 'content-type': 'application/json', ...(await caller.headers()) };
  const response = await fetch(`${api.baseUrl}/upsert-dataset-users`, { method: 'POST', headers, body });
  const { code, detail } = (await response.json()) as { code?: string; detail?: string };
  return { status: response.status, code, detail };
}

const gzip = { 'content-encoding': 'gzip' };
const sound = () => Buffer.from(JSON.stringify({ user_dataset_id: dataset, users: [{ user_id: 'u' }] }));
/** A valid request, padded with spaces to a size. */
const padded = (bytes: number) => Buffer.concat([sound(), Buffer.alloc(bytes - sound().length, ' ')]);

describe('a body', () => {
  test('may have 32 MiB uncompressed', async () => {
    expect(await send(padded(limits.bodyBytes))).toMatchObject({ status: 200 });
  });

  test('may not have one byte more, with or without Content-Length', async () => {
    const over = padded(limits.bodyBytes + 1);
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      expect(await send(over, headers)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
    }
  });

  test.each([
    ['keeps the connection', send],
    ['closes the connection', (body: Buffer) => send(body, { connection: 'close' })],
    ['is fetch', sendByFetch],
  ])('that is too large is answered while it is being sent, to a client that %s', async (_, sendBy) => {
    const over = padded(limits.bodyBytes + 1);
    // A connection that is closed too early fails every second of these.
    for (let n = 0; n < 10; n++) {
      expect(await sendBy(over)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
    }
  });

  test('that goes on after it was refused is cut off', async () => {
    const headers = { ...(await caller.headers()), 'content-type': 'application/json' };
    const sending = request(`${api.baseUrl}/upsert-dataset-users`, { method: 'POST', headers });
    const refused = new Promise<number | undefined>((resolve) => {
      sending.on('response', (response) => resolve(response.resume().statusCode));
    });
    sending.on('error', () => undefined);
    const closed = new Promise((resolve) => void sending.on('close', resolve));
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    let sent = 0;
    while (!sending.closed && sent < 8 * limits.bodyBytes) {
      sent += chunk.length;
      const written = new Promise((resolve) => void sending.write(chunk, resolve));
      await Promise.race([written, closed]);
    }
    expect(await refused).toBe(413);
    expect(sent).toBeLessThan(6 * limits.bodyBytes);
  });

  test('may have 32 MiB after decompression, and not one byte more', async () => {
    expect(await send(gzipSync(padded(limits.bodyBytes)), gzip)).toMatchObject({ status: 200 });
    const over = gzipSync(padded(limits.bodyBytes + 1));
    expect(await send(over, gzip)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
  });

  test('may be gzip with several members', async () => {
    const body = Buffer.concat([gzipSync(sound().subarray(0, 10)), gzipSync(sound().subarray(10))]);
    expect(await send(body, gzip)).toMatchObject({ status: 200 });
  });

  test('that is not valid gzip is refused', async () => {
    const good = gzipSync(sound());
    const flipped = Buffer.from(good);
    flipped.writeUInt8(flipped.readUInt8(20) ^ 0xff, 20);
    const wrongSum = Buffer.from(good);
    wrongSum.writeUInt32LE(0, good.length - 8);
    for (const body of [
      good.subarray(0, -1),
      good.subarray(0, good.length / 2),
      good.subarray(0, 5),
      Buffer.from([0x1f, 0x8b]),
      flipped,
      wrongSum,
      sound(),
      Buffer.alloc(0),
    ]) {
      expect(await send(body, gzip)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    }
  });

  test('is decoded by its headers, not by its content', async () => {
    expect(await send(gzipSync(sound()))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    const unsupported = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' };
    for (const encoding of ['br', 'deflate', 'gzip, gzip', 'nonsense'])
      expect(await send(sound(), { 'content-encoding': encoding })).toMatchObject(unsupported);
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
    for (const type of types)
      expect(await send(sound(), { 'content-type': type })).toMatchObject(unsupported);
    const utf8 = { 'content-type': 'application/json; charset=utf-8' };
    expect(await send(sound(), utf8)).toMatchObject({ status: 200 });
  });

  test.each([
    ['nothing', ''],
    ['half of JSON', '{"user_dataset_id": "x", "users": ['],
    ['a word', 'secret-word'],
    ['two values', '{} {}'],
    ['an array', '[]'],
    ['a string', '"text"'],
    ['null', 'null'],
  ])('of %s is refused without being quoted', async (_, text) => {
    const { status, code, detail } = await send(Buffer.from(text));
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    expect(detail).not.toContain('secret-word');
  });

  test('that is not UTF-8 is refused', async () => {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expect(await send(body)).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      detail: expect.stringContaining('UTF-8') as string,
    });
  });
});

/** A gzip member with the given number of MiB of zeros, created without allocating them. */
function bombOf(mebibytes: number): Buffer {
  const header = gzipSync('').subarray(0, 10);
  const step = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([header, ...new Array<Buffer>(mebibytes).fill(step)]);
}

describe.runIf(process.platform === 'linux')('a hostile body is refused and takes little memory:', () => {
  test.each([50, 2048])('a bomb of %i MiB of zeros', async (mebibytes) => {
    const bomb = bombOf(mebibytes);
    expect(bomb.length).toBeLessThan(4 * 1024 * 1024);
    const growth = await growthOf(api.pid, async () => {
      expect(await send(bomb, gzip)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
    });
    expect(growth).toBeLessThan(200);
  });

  test('twenty bombs at once', async () => {
    const bomb = bombOf(50);
    const growth = await growthOf(api.pid, async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(bomb, gzip)));
      for (const { status } of answers) expect([413, 429]).toContain(status);
    });
    // Decompressed concurrently, they would take 640 MB.
    expect(growth).toBeLessThan(350);
  });

  test('millions of errors in one request', async () => {
    const ids = `{"user_dataset_id":"${dataset}","ids":[${'0,'.repeat(2_000_000)}0]}`;
    const fields = `{${Array.from({ length: 400_000 }, (_, n) => `"${n}":0`).join()}}`;
    const growth = await growthOf(api.pid, async () => {
      const many = await send(gzipSync(ids, { level: 1 }), gzip, '/delete-dataset-users');
      expect(many).toMatchObject({ status: 413, code: 'TOO_MANY_RECORDS' });
      for (const body of [fields, `{"name":"x","num_shards":1,"attribute_schema":${fields}}`]) {
        const answer = await send(gzipSync(body, { level: 1 }), gzip, '/create-user-dataset');
        expect(answer).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
      }
    });
    expect(growth).toBeLessThan(800);
  });
});

/** CPU seconds that the server has used so far. */
async function cpuSeconds(): Promise<number> {
  const fields = (await readFile(`/proc/${api.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

describe.runIf(process.platform === 'linux')('bodies that are cheap to send take little CPU:', () => {
  test.each([
    ['ten million empty strings', 1, '"",'.repeat(1e7)],
    ['a million brackets, twenty times at once', 20, '[],'.repeat(9e5)],
  ])('%s', async (_, times, records) => {
    const body = gzipSync(`{"user_dataset_id":"${dataset}","users":[${records}""]}`, { level: 9 });
    const before = await cpuSeconds();
    const answers = await Promise.all(Array.from({ length: times }, () => send(body, gzip)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 413, code: 'TOO_MANY_RECORDS' });
    // Parsing took at least 0.4 s each, and several times as long on a busy machine.
    expect((await cpuSeconds()) - before).toBeLessThan(0.2 * times + 1);
  });
});

test('a full batch of events with six thousand lists each is accepted', { timeout: 180_000 }, async () => {
  const { event_dataset_id } = await caller.call('createEventDataset', { name: 'e', num_shards: 1 });
  const values = `[${'[],'.repeat(6000)}[]]`;
  const event = (n: number) =>
    `{"event_id":"e${n}","user_id":"u","item_id":"i","ts":${n},"event_type":"t","attributes":{"a":${values}}}`;
  const events = Array.from({ length: 1000 }, (_, n) => event(n)).join();
  const body = gzipSync(`{"event_dataset_id":"${event_dataset_id}","events":[${events}]}`);
  expect(await send(body, gzip, '/upsert-dataset-events')).toMatchObject({ status: 200 });
});

test('an operation without records accepts no large body', async () => {
  const body = Buffer.from(JSON.stringify({ name: 'x'.repeat(limits.smallBodyBytes) }));
  for (const sent of [body, gzipSync(body)]) {
    const headers: Record<string, string> = sent === body ? {} : gzip;
    const answer = await send(sent, headers, '/create-project');
    expect(answer).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
  }
});

test('connections that announce large bodies and send nothing do not block other callers', async () => {
  const { hostname, port } = new URL(api.baseUrl);
  const { apikey, authorization } = await caller.headers();
  const head = [
    'POST /upsert-dataset-users HTTP/1.1',
    'Host: x',
    `APIKey: ${apikey}`,
    `Authorization: ${authorization}`,
    'Content-Type: application/json',
    `Content-Length: ${limits.bodyBytes}`,
  ];
  const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname));
  try {
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    }
    await sleep(300);
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(padded(1_000_000))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('an account whose uploads use up its share is refused, but no other, until the uploads end', async () => {
  // Locks the dataset, so that the uploads stay in flight.
  await using holder = await connectTo(database.url);
  const waiting = async () => {
    const text = `SELECT count(*)::int AS waiting FROM pg_locks
      WHERE locktype = 'advisory' AND NOT granted AND ${ofThisDatabase}`;
    return ((await holder.query(text)).rows as { waiting: number }[])[0]?.waiting;
  };
  const other = new Caller(api.baseUrl, await makeCredentials(database.url));
  await holder.query(`SELECT pg_advisory_lock(${datasetLockKey(caller.accountId, dataset)})`);
  const body = gzipSync(padded(limits.bodyBytes));
  const headers = { ...(await caller.headers()), ...gzip, 'content-type': 'application/json' };
  // Together they are a quarter of the total, which is the share of an account.
  const uploads = Array.from({ length: 2 }, () => {
    const sending = request(`${api.baseUrl}/upsert-dataset-users`, { method: 'POST', headers });
    sending.on('error', () => undefined);
    return sending.end(body);
  });
  await expect.poll(waiting).toBe(2);
  expect(await send(sound())).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });
  const { user_dataset_id } = await other.call('createUserDataset', { name: 'u', num_shards: 1 });
  const attributes = { t: 'x'.repeat(2000) };
  const users = Array.from({ length: 1000 }, (_, n) => ({ user_id: `u${n}`, attributes }));
  const { succeed_ids } = await other.call('upsertDatasetUsers', { user_dataset_id, users });
  expect(succeed_ids).toHaveLength(1000);
  for (const sending of uploads) sending.destroy();
  await holder.query('SELECT pg_advisory_unlock_all()');
  const after = () => send(gzipSync(padded(limits.bodyBytes)), gzip);
  await expect.poll(after).toMatchObject({ status: 200 });
});
