import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { hostileParquet } from '../../../files/test/hostile-parquet.ts';
import { ChildKilledError, runChild } from '../../src/jobs/engine/run-child.ts';
import { withDuck } from '../../src/kernel/files/duckdb.ts';
import type { FuzzTask } from './import-fuzz-child.ts';

/** A few seconds, or FUZZ_FILES_SECONDS; .ci/release takes ten minutes. */
const seconds = Number(process.env['FUZZ_FILES_SECONDS'] ?? 4);
/** FUZZ_SEED repeats a run. */
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);

const folder = mkdtempSync(join(tmpdir(), 'import-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));

const script = new URL('./import-fuzz-child.ts', import.meta.url);
const limits = { memoryBytes: 512 * 2 ** 20, cpuSeconds: 1 };
const batch = 500;

const csv = `event_id,user_id,item_id,ts,note\n${Array.from(
  { length: 50 },
  (_, n) => `e${n},u${n % 7},i${n % 3},${1_700_000_000_000 + n},"a ""b"", c\n"`,
).join('\n')}\n`;
const ndjson = Array.from({ length: 50 }, (_, n) =>
  JSON.stringify({ user_id: `u${n}`, item_id: 'i', ts: 1_700_000_000_000 + n, list: ['é', { deep: [n] }] }),
).join('\n');

async function writeParquet(): Promise<[string, Uint8Array][]> {
  const table = `SELECT 'u' || n % 7 AS user_id, 'i' || n AS item_id, 1700000000000 + n AS ts, n / 3 AS price,
    [n, n + 1] AS list, {'a': n, 'b': ['x']} AS struct, n % 2 = 0 AS flag, date '2026-01-01' + n::int AS day
    FROM range(300) t(n)`;
  return withDuck({ memoryMb: 100, threads: 1 }, async (duck) => {
    const files: [string, Uint8Array][] = [];
    for (const form of [
      'codec snappy',
      'codec zstd',
      'codec gzip',
      'codec uncompressed',
      'parquet_version v2',
    ]) {
      const path = join(duck.folder, 'a.parquet');
      await duck.run(`COPY (${table}) TO '${path}' (FORMAT parquet, ${form}, row_group_size 2048)`);
      files.push([`${form.replace(' ', '-')}.parquet`, readFileSync(path)]);
    }
    return files;
  });
}

const bytes = (...values: number[]) => fc.constant(Uint8Array.from(values));
/** Where in the file, how many bytes go, and what comes instead. */
const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.oneof(fc.constant(0), fc.nat(4), fc.nat(400)),
  inserted: fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    bytes(0),
    bytes(0xff, 0xff, 0xff, 0xff, 0x0f),
    bytes(0x80, 0x80, 0x80, 0x80, 0x04),
    ...['"', '\n', '\r', ',', '{', '[[[[', '\\u0000', '\u2028', '1e999'].map((text) =>
      fc.constant(new TextEncoder().encode(text)),
    ),
  ),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function mutate(source: Uint8Array, changes: readonly Change[]): Uint8Array {
  return changes.reduce((whole, { at, removed, inserted }) => {
    const from = Math.floor(at * whole.length);
    return Buffer.concat([whole.subarray(0, from), inserted, whole.subarray(from + removed)]);
  }, source);
}

test('any file ends with rows, as invalid or at a limit, and never its reader', {
  timeout: seconds * 1000 + 120_000,
}, async () => {
  const sources: [string, Uint8Array][] = [
    ['a.csv', Buffer.from(csv)],
    ['a.ndjson', Buffer.from(ndjson)],
    ['a.csv.gz', gzipSync(csv)],
    ['a.ndjson.gz', gzipSync(ndjson)],
    ...Object.entries(hostileParquet).filter(([name]) => name !== 'run.parquet' && name !== 'levels.parquet'),
    ...(await writeParquet()),
  ];
  const mutated = fc
    .tuple(fc.constantFrom(...sources), fc.array(change, { maxLength: 5 }))
    .map(([[name, source], changes]) => ({ name, bytes: mutate(source, changes) }));
  const noise = fc.record({
    name: fc.constantFrom('a.csv', 'a.ndjson', 'a.csv.gz', 'a.parquet'),
    bytes: fc.uint8Array({ maxLength: 200 }),
  });
  const counts = { rows: 0, invalid: 0, limit: 0 };
  const end = performance.now() + seconds * 1000;
  for (let round = 0; performance.now() < end; round++) {
    const options = { seed: seed + round, numRuns: batch };
    let files: FuzzTask['files'] = fc.sample(
      fc.oneof({ arbitrary: mutated, weight: 9 }, { arbitrary: noise, weight: 1 }),
      options,
    );
    while (files.length > 0) {
      let at = 0;
      const report = (_: string, done: number) => void (at = done);
      const context = { signal: new AbortController().signal, report };
      try {
        for (const rows of await runChild<number[]>(script, limits, { folder, files }, context))
          counts[rows < 0 ? 'invalid' : 'rows'] += 1;
        break;
      } catch (error) {
        const isLimit = error instanceof ChildKilledError && error.end !== 'died';
        const { name = '', bytes: found = [] } = files[at] ?? {};
        if (!isLimit)
          throw new Error(`seed ${seed + round}, ${name} in hex: ${Buffer.from(found).toString('hex')}`, {
            cause: error,
          });
        counts.limit += 1;
        counts.invalid += at;
        files = files.slice(at + 1);
      }
    }
  }
  console.log('fuzzed files:', counts);
  expect(counts.rows).toBeGreaterThan(0);
  expect(counts.invalid).toBeGreaterThan(0);
});
