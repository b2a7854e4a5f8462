import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type DatasetKind, endpoints, limits, type OperationName } from '@tastegraph/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiFleet, startApiFleet } from './api-fleet.ts';
import type { ApiProcess } from './api-process.ts';
import type { Caller } from './caller.ts';
import {
  findUnsound,
  findUnsoundToken,
  listRegistered,
  type RawAnswer,
  type RawRequest,
  send,
  sendBytes,
} from './fuzz-http.ts';
import { FuzzLedger } from './fuzz-ledger.ts';
import { anyRecord, type SentRecord } from './fuzz-records.ts';
import { anyBody, anyDeepJson, anyQuery } from './fuzz-requests.ts';
import { casesOf, forAll, fuzzSeed, inGroups } from './fuzz-run.ts';
import { anyTokenRequest } from './fuzz-tokens.ts';
import { anyBytes, anyHeaders, anyTransfer } from './fuzz-transfers.ts';

const limitMs = 30 * 60_000;
const recordsPerCall = 100;

let fleet: ApiFleet;
let api: ApiProcess;
let caller: Caller;
let headers: Record<string, string>;
let registered: OperationName[];

beforeAll(async () => {
  console.log(`fuzz: seed ${fuzzSeed} (repeat it with FUZZ_SEED=${fuzzSeed})`);
  // As much memory as it has in a small container: what takes more ends it.
  fleet = await startApiFleet(1, { TRUST_PROXY: 'loopback', NODE_OPTIONS: '--max-old-space-size=512' });
  api = fleet.apis[0] as ApiProcess;
  caller = fleet.callerOf(0);
  headers = await caller.headers();
  registered = await listRegistered(api.baseUrl);
});
afterAll(() => fleet[Symbol.asyncDispose]());

async function createDatasets(): Promise<Record<DatasetKind, string>> {
  const request = { name: 'fuzz', num_shards: 100 };
  return {
    user: (await caller.call('createUserDataset', request)).user_dataset_id,
    item: (await caller.call('createItemDataset', request)).item_dataset_id,
    event: (await caller.call('createEventDataset', request)).event_dataset_id,
  };
}

function expectNothing(unsound: string | undefined, { status, text }: RawAnswer): void {
  if (unsound !== undefined) throw new Error(`${unsound}: ${status} ${text.slice(0, 500)}`);
}

async function expectSound(request: RawRequest & { readonly name?: OperationName }): Promise<RawAnswer> {
  const answer = await send(api.baseUrl, { ...request, headers: { ...headers, ...request.headers } });
  expectNothing(findUnsound(answer, request.name), answer);
  return answer;
}

describe('whatever is sent, the answer is sound and the process stays', () => {
  test('any JSON to every operation', { timeout: limitMs }, async () => {
    const ids = await createDatasets();
    const known = { user_dataset_id: ids.user, item_dataset_id: ids.item, event_dataset_id: ids.event };
    await forAll('bodies', 6000, anyBody(registered, known), expectSound);
  });

  test('any query string', { timeout: limitMs }, async () => {
    await forAll('queries', 2400, anyQuery(registered), expectSound);
  });

  const requestOf = (name: OperationName, json: string): RawRequest => ({
    method: endpoints[name][0],
    path: endpoints[name][1],
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: [gzipSync(json)],
  });

  test('JSON nested 100,000 deep', { timeout: limitMs }, async () => {
    const names = registered.filter((name) => endpoints[name][0] !== 'GET');
    await forAll('depth', 320, fc.tuple(fc.constantFrom(...names), anyDeepJson), async ([name, json]) =>
      expectSound(requestOf(name, json)),
    );
  });

  test('as many brackets, keys or values as fit into a body', async () => {
    const keys = Array.from({ length: 2_000_000 }, (_, i) => `"${i}":0`).join(',');
    for (const part of ['[', '{"a":', '{"":[', '[],', '{},', '"\\"",', '0,', keys]) {
      for (const bytes of [900_000, limits.bodyBytes - 100]) {
        const inside = part.repeat(Math.ceil(bytes / part.length)).slice(0, bytes);
        await expectSound(requestOf('upsertDatasetEvents', `{"event_dataset_id":"x","events":[${inside}0]}`));
      }
    }
  });

  test('any content type, encoding and bytes', { timeout: limitMs }, async () => {
    await forAll('transfers', 3200, anyTransfer('/upsert-dataset-events'), expectSound);
  });

  test('any headers, paths and methods', { timeout: limitMs }, async () => {
    await forAll('headers', 3200, anyHeaders(headers), async (request) => {
      const answer = await expectSound(request);
      // HTTP takes blanks around a value for no part of it.
      const sent = request.headers['x-request-id']?.replaceAll(/^[ \t]+|[ \t]+$/g, '') ?? '';
      expect(answer.headers['x-request-id'] === sent).toBe(/^[\w.:-]{1,128}$/.test(sent));
    });
  });

  test('bytes that are hardly HTTP', { timeout: limitMs }, async () => {
    await forAll('bytes', 800, anyBytes, async (bytes) => {
      const answer = await sendBytes(api.baseUrl, bytes);
      expectNothing(findUnsound(answer), answer);
    });
  });

  test('any request for a token, answered as RFC 6749 says', { timeout: limitMs }, async () => {
    await forAll('tokens', 2400, anyTokenRequest(caller.credentials), async (request) => {
      const answer = await send(api.baseUrl, request);
      expectNothing(findUnsoundToken(answer), answer);
    });
  });
});

describe('of any records, what is good is stored exactly as sent and what is bad takes nothing with it', () => {
  async function upsert(
    ledger: FuzzLedger,
    kind: DatasetKind,
    datasetId: string,
    sent: readonly SentRecord[],
  ) {
    const list = sent.map(({ json }) => json).join(',');
    const body = Buffer.from(`{"${kind}_dataset_id":"${datasetId}","${kind}s":[${list}]}`);
    const gzip = list.length % 2 === 0;
    const answer = await send(api.baseUrl, {
      method: 'POST',
      path: `/upsert-dataset-${kind}s`,
      headers: {
        ...headers,
        'content-type': 'application/json',
        ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      },
      body: [gzip ? gzipSync(body) : body],
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text.slice(0, 500)}`);
    const wrong = await ledger.judge(sent, JSON.parse(answer.text) as Parameters<FuzzLedger['judge']>[1]);
    if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join('\n'));
  }

  test.each(['user', 'item', 'event'] as const)('%s records', { timeout: limitMs }, async (kind) => {
    const datasetId = (await createDatasets())[kind];
    const ledger = new FuzzLedger(fleet.sql, kind, datasetId);
    const records = fc.array(anyRecord(kind), { minLength: recordsPerCall, maxLength: recordsPerCall });
    await inGroups(`${kind} records`, 4000 / recordsPerCall, records, async (sent) => {
      await upsert(ledger, kind, datasetId, sent);
      return sent.length;
    });
    const { real, expected } = await ledger.counts();
    expect(real).toBe(expected);
    expect(expected).toBeGreaterThan(500);
  });

  test('a key is never taken for one that an earlier call had in its place', async () => {
    const datasetId = (await createDatasets()).user;
    const ledger = new FuzzLedger(fleet.sql, 'user', datasetId);
    // V8 alone reads the later ones as the first.
    for (const key of ['\\\\', '\\u00e9', '\\"', '\\u0041']) {
      const json = `{"user_id":"${key} sent","attributes":{"before":1,"${key}":2}}`;
      await upsert(ledger, 'user', datasetId, [{ json, succeeds: true }]);
    }
  });
});

test('the process is still the one that was started, and well', async () => {
  const cases = Object.values(casesOf).reduce((sum, count) => sum + count, 0);
  const peakMb = await readPeakMb(api.pid);
  console.log('fuzz:', { seed: fuzzSeed, cases, ...casesOf, peakMb });
  expect(api.hasExited()).toBe(false);
  expect((await fetch(`${api.baseUrl}/healthz`)).status).toBe(200);
  expect(api.lastWords()).toBe('');
  expect(cases).toBeGreaterThanOrEqual(20_000);
});

/** The most memory a process ever had; 0 where only Linux could tell. */
async function readPeakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
