import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { limits } from '@tastegraph/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { datasetLockKey } from '../../src/storage/postgres/datasets.ts';
import { makeCredentials } from './api-fleet.ts';
import { type ApiProcess, startApiProcess } from './api-process.ts';
import { Caller } from './caller.ts';
import { cloneDatabase } from './database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
// A process of its own: its memory is the server's alone, and what ends it fails a test instead of all.
let api: ApiProcess;
let caller: Caller;
let dataset: string;

beforeAll(async () => {
  database = await cloneDatabase();
  api = await startApiProcess({ databaseUrl: database.url, redisUrl: inject('redisUrl') });
  caller = new Caller(api.baseUrl, await makeCredentials(database.url));
  dataset = (await caller.call('createUserDataset', { name: 'u', num_shards: 1 })).user_dataset_id;
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

interface Sent {
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly detail: string | undefined;
}

/** Sends bytes as they are. Unlike fetch it still reads an answer that comes before all is sent. */
async function send(
  body: Buffer,
  headers: Record<string, string> = {},
  path = '/upsert-dataset-users',
): Promise<Sent> {
  const told = headers['transfer-encoding'] ? {} : { 'content-length': String(body.length) };
  const all = { 'content-type': 'application/json', ...told, ...(await caller.headers()), ...headers };
  return new Promise((resolve, reject) => {
    const sending = request(`${api.baseUrl}${path}`, {
      method: path.startsWith('/delete') ? 'DELETE' : 'POST',
      headers: all,
    });
    sending.on('error', reject);
    sending.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const { code, detail } = JSON.parse(text) as { code?: string; detail?: string };
        resolve({ status: response.statusCode, code, detail });
      });
    });
    sending.end(body);
  });
}

const gzip = { 'content-encoding': 'gzip' };
const sound = () => Buffer.from(JSON.stringify({ user_dataset_id: dataset, users: [{ user_id: 'u' }] }));
/** A sound request, blown up with spaces to a size. */
const padded = (bytes: number) => Buffer.concat([sound(), Buffer.alloc(bytes - sound().length, ' ')]);

describe('a body', () => {
  test('may be 32 MiB, plain', async () => {
    expect(await send(padded(limits.bodyBytes))).toMatchObject({ status: 200 });
  });

  // Who is answered before all is sent, and is slow to listen, may find the connection closed instead.
  test('may not be a byte more, whether its size is told first or not', { retry: 2 }, async () => {
    const over = padded(limits.bodyBytes + 1);
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      expect(await send(over, headers)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
    }
  });

  test('may be 32 MiB when decompressed, and not a byte more', async () => {
    expect(await send(gzipSync(padded(limits.bodyBytes)), gzip)).toMatchObject({ status: 200 });
    const over = gzipSync(padded(limits.bodyBytes + 1));
    expect(await send(over, gzip)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
  });

  test('may be gzip in several members', async () => {
    const body = Buffer.concat([gzipSync(sound().subarray(0, 10)), gzipSync(sound().subarray(10))]);
    expect(await send(body, gzip)).toMatchObject({ status: 200 });
  });

  test('that is not sound gzip is refused', async () => {
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

  test('is decoded by its headers, not by its looks', async () => {
    expect(await send(gzipSync(sound()))).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    for (const encoding of ['br', 'deflate', 'gzip, gzip', 'nonsense']) {
      expect(await send(sound(), { 'content-encoding': encoding })).toMatchObject({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      expect(await send(sound(), { 'content-type': type })).toMatchObject({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    }
    expect(await send(sound(), { 'content-type': 'application/json; charset=utf-8' })).toMatchObject({
      status: 200,
    });
  });

  test.each([
    ['nothing', ''],
    ['half of JSON', '{"user_dataset_id": "x", "users": ['],
    ['a word', 'secret-word'],
    ['two values', '{} {}'],
    ['an array', '[]'],
    ['a string', '"text"'],
    ['null', 'null'],
  ])('of %s is refused, without being quoted', async (_, text) => {
    const { status, code, detail } = await send(Buffer.from(text));
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_REQUEST' });
    expect(detail).not.toContain('secret-word');
  });

  test('that is not UTF-8 is refused', async () => {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expect(await send(body)).toMatchObject({ status: 400, detail: 'The body is not UTF-8.' });
  });
});

/** Resident memory of the server in MB: at its peak since `forgetPeak`, and now. */
async function memory(): Promise<{ peak: number; now: number }> {
  const status = await readFile(`/proc/${api.pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000;
  return { peak: field('VmHWM'), now: field('VmRSS') };
}

const forgetPeak = () => writeFile(`/proc/${api.pid}/clear_refs`, '5');

/** How many MB the server's memory grew by at its peak, while `act` ran. */
async function growthOf(act: () => Promise<void>): Promise<number> {
  await forgetPeak();
  const { now } = await memory();
  await act();
  return (await memory()).peak - now;
}

/** So many MiB of zeros in one gzip member, without having been so many bytes anywhere. */
function bombOf(mebibytes: number): Buffer {
  const header = gzipSync('').subarray(0, 10);
  const step = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([header, ...new Array<Buffer>(mebibytes).fill(step)]);
}

describe.runIf(process.platform === 'linux')('a hostile body takes little memory and is refused:', () => {
  test.each([50, 2048])('a bomb of %i MiB of zeros', async (mebibytes) => {
    const bomb = bombOf(mebibytes);
    expect(bomb.length).toBeLessThan(4 * 1024 * 1024);
    const growth = await growthOf(async () => {
      expect(await send(bomb, gzip)).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
    });
    expect(growth).toBeLessThan(200);
  });

  test('twenty bombs at once', async () => {
    const bomb = bombOf(50);
    const growth = await growthOf(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(bomb, gzip)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([413]));
    });
    // Each for itself they would grow to 640.
    expect(growth).toBeLessThan(350);
  });

  test('millions of mistakes in one request', async () => {
    const ids = `{"user_dataset_id":"${dataset}","ids":[${'0,'.repeat(16_000_000)}0]}`;
    const fields = `{${Array.from({ length: 500_000 }, (_, n) => `"${n}":0`).join()}}`;
    const growth = await growthOf(async () => {
      const many = await send(gzipSync(ids, { level: 1 }), gzip, '/delete-dataset-users');
      expect(many).toMatchObject({ status: 413, code: 'TOO_MANY_RECORDS' });
      for (const body of [fields, `{"name":"x","num_shards":1,"attribute_schema":${fields}}`]) {
        const answer = await send(gzipSync(body, { level: 1 }), gzip, '/create-user-dataset');
        expect(answer).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
      }
    });
    expect(growth).toBeLessThan(800);
  });
});

test('uploads that callers break off leave room for those who come after', async () => {
  // Holds the dataset, so that the uploads are under way for as long as we like.
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  const waiting = async () => {
    const text = "SELECT count(*)::int AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    return ((await holder.query(text)).rows as { waiting: number }[])[0]?.waiting;
  };
  try {
    await holder.query(`SELECT pg_advisory_lock(${datasetLockKey(caller.credentials.accountId, dataset)})`);
    const body = gzipSync(padded(limits.bodyBytes));
    const headers = { ...(await caller.headers()), ...gzip, 'content-type': 'application/json' };
    // Together they are all that may be in work at once.
    const uploads = Array.from({ length: 8 }, () => {
      const sending = request(`${api.baseUrl}/upsert-dataset-users`, { method: 'POST', headers });
      sending.on('error', () => undefined);
      return sending.end(body);
    });
    await expect.poll(waiting, { timeout: 10_000 }).toBe(8);
    expect(await send(sound())).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    for (const sending of uploads) sending.destroy();
  } finally {
    await holder.end();
  }
  const after = () => send(gzipSync(padded(limits.bodyBytes)), gzip);
  await expect.poll(after, { timeout: 10_000 }).toMatchObject({ status: 200 });
});
