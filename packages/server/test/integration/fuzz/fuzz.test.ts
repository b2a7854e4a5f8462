import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type DatasetKind, endpoints, limits, type OperationName } from '@tastegraph/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiFleet, startApiFleet } from '../stack/api-fleet.ts';
import type { ApiProcess } from '../stack/api-process.ts';
import type { Caller } from '../stack/caller.ts';
import {
  findProblem,
  findTokenProblem,
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
  // The memory of a small container. The process ends if it needs more.
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
  expectNothing(findProblem(answer, request.name), answer);
  return answer;
}

describe('whatever is sent, the response is well-formed and the process survives', () => {
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

  test('the maximum of brackets, keys or values in a body', async () => {
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
      // HTTP strips blanks around a header value.
      const sent = request.headers['x-request-id']?.replaceAll(/^[ \t]+|[ \t]+$/g, '') ?? '';
      expect(answer.headers['x-request-id'] === sent).toBe(/^[\w.:-]{1,128}$/.test(sent));
    });
  });

  test('malformed HTTP', { timeout: limitMs }, async () => {
    await forAll('bytes', 800, anyBytes, async (bytes) => {
      const answer = await sendBytes(api.baseUrl, bytes);
      expectNothing(findProblem(answer), answer);
    });
  });

  test('any token request, answered as RFC 6749 requires', { timeout: limitMs }, async () => {
    await forAll('tokens', 2400, anyTokenRequest(caller.credentials), async (request) => {
      const answer = await send(api.baseUrl, request);
      expectNothing(findTokenProblem(answer), answer);
    });
  });
});

describe('of any records, valid ones are stored exactly as sent, and invalid ones fail alone', () => {
  async function upsert(
    ledger: FuzzLedger,
    kind: DatasetKind,
    datasetId: string,
    sent: readonly SentRecord[],
    mode: 'REPLACE' | 'MERGE' = 'REPLACE',
  ) {
    const list = sent.map(({ json }) => json).join(',');
    const units = kind === 'event' ? '"allow_old_ts":true,' : '';
    const body = Buffer.from(
      `{"${kind}_dataset_id":"${datasetId}",${units}"mode":"${mode}","${kind}s":[${list}]}`,
    );
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
    const outcome = JSON.parse(answer.text) as Parameters<FuzzLedger['judge']>[1];
    const wrong = await ledger.judge(sent, outcome, mode);
    if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join('\n'));
  }

  test.each(['user', 'item', 'event'] as const)('%s records', { timeout: limitMs }, async (kind) => {
    const datasetId = (await createDatasets())[kind];
    const ledger = new FuzzLedger(fleet.sql, kind, datasetId);
    const records = fc.array(anyRecord(kind), { minLength: recordsPerCall, maxLength: recordsPerCall });
    let calls = 0;
    await inGroups(`${kind} records`, 4000 / recordsPerCall, records, async (sent) => {
      await upsert(ledger, kind, datasetId, sent, calls++ % 2 === 0 ? 'REPLACE' : 'MERGE');
      return sent.length;
    });
    const { real, expected } = await ledger.counts();
    expect(real).toBe(expected);
    expect(expected).toBeGreaterThan(500);
  });

  test('a key is never confused with a key of an earlier call', async () => {
    const datasetId = (await createDatasets()).user;
    const ledger = new FuzzLedger(fleet.sql, 'user', datasetId);
    // V8's own parser would read the later keys as the first one.
    for (const key of ['\\\\', '\\u00e9', '\\"', '\\u0041']) {
      const json = `{"user_id":"${key} sent","attributes":{"before":1,"${key}":2}}`;
      await upsert(ledger, 'user', datasetId, [{ json, succeeds: true }]);
    }
  });
});

test('the process was not restarted and is ready', async () => {
  const cases = Object.values(casesOf).reduce((sum, count) => sum + count, 0);
  const peakMb = await readPeakMb(api.pid);
  console.log('fuzz:', { seed: fuzzSeed, cases, ...casesOf, peakMb });
  expect(api.hasExited()).toBe(false);
  expect((await fetch(`${api.baseUrl}/healthz`)).status).toBe(200);
  expect(api.lastWords()).toBe('');
  expect(cases).toBeGreaterThanOrEqual(20_000);
});

/** The peak memory of a process; 0 on systems other than Linux. */
async function readPeakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
