import { setImmediate } from 'node:timers/promises';
import { limits } from '@tastegraph/contract';
import { MalformedRow } from '@tastegraph/files';
import { describe, expect, test } from 'vitest';
import { measure } from '../../src/imports/read-file.ts';
import { plainText, Rejected } from '../../src/imports/rejected.ts';
import { WriteLanes } from '../../src/imports/write-lanes.ts';

describe('the lanes of an import', () => {
  test('write every row once, those with the same ID in their order, and several batches at a time', async () => {
    const written: string[][] = [];
    let [inFlight, most] = [0, 0];
    const lanes = new WriteLanes<string>(4, async (rows) => {
      most = Math.max(most, ++inFlight);
      await setImmediate();
      written.push([...rows]);
      inFlight--;
    });
    const count = 12 * limits.recordsPerCall;
    for (let n = 0; n < count; n++) await lanes.add(`u${n % 100}`, `u${n % 100} ${n}`, 100);
    await lanes.end();
    expect(written.flat()).toHaveLength(count);
    expect(most).toBe(4);
    for (let user = 0; user < 100; user++) {
      const own = written.flat().filter((row) => row.startsWith(`u${user} `));
      expect(own).toEqual(
        own.toSorted((one, other) => Number(one.split(' ')[1]) - Number(other.split(' ')[1])),
      );
    }
  });

  test('end a batch at 4 MiB, however few rows it has', async () => {
    const sizes: number[] = [];
    const lanes = new WriteLanes<number>(1, (rows) => Promise.resolve(void sizes.push(rows.length)));
    for (let n = 0; n < 40; n++) await lanes.add('same', n, 256 * 1024);
    await lanes.end();
    expect(sizes).toEqual([16, 16, 8]);
  });

  test('throw what a write threw, and write nothing more in that lane', async () => {
    let calls = 0;
    const lanes = new WriteLanes<number>(1, () => {
      calls++;
      return Promise.reject(new Error('gone'));
    });
    const add = async () => {
      for (let n = 0; n < 5 * limits.recordsPerCall; n++) await lanes.add('same', n, 1);
    };
    await expect(add()).rejects.toThrow('gone');
    await expect(lanes.end()).rejects.toThrow('gone');
    expect(calls).toBe(1);
  });
});

test('a row is measured with everything in it, and is infinite if it is nested too deep', () => {
  const texts = { attributes: { list: ['x'.repeat(1000), { deep: 'y'.repeat(1000) }] } };
  expect(measure(['id', texts])).toBeGreaterThan(2000);
  expect(measure(['id', texts])).toBeLessThan(2200);
  let nested: unknown = 'x';
  for (let depth = 0; depth < 10_000; depth++) nested = [nested];
  expect(measure([nested])).toBe(Number.POSITIVE_INFINITY);
});

test('text of a file is short, and can be stored', () => {
  expect(plainText(`a\0b\ud83d`)).toBe('a\ufffdb\ufffd');
  expect(plainText('x'.repeat(10_000)).length).toBeLessThan(600);
});

describe('rejected records', () => {
  test('are counted by reason, without what a row contains', () => {
    const rejected = new Rejected();
    for (let line = 1; line <= 3; line++)
      rejected.addMalformed(
        'a.ndjson',
        line,
        new MalformedRow(`is not valid JSON: secret ${line}`, 'secret'),
      );
    rejected.add({ file: 'a.ndjson', line: 4, code: 'FIELD_MISSING', message: 'ts is missing', record: {} });
    expect(rejected.message()).toBe(
      '4 records were rejected: a row is not valid JSON (3); ts is missing (1). The file lists them.',
    );
    const lines = Buffer.concat([...rejected.bytes()])
      .toString()
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([1, 2, 3, 4]);
  });

  test('beyond 10,000 are counted, not listed', () => {
    const rejected = new Rejected();
    for (let line = 0; line < 10_005; line++)
      rejected.add({ file: 'a.csv', line, code: 'FIELD_INVALID', message: `reason ${line}` });
    expect(rejected.count).toBe(10_005);
    expect([...rejected.bytes()]).toHaveLength(10_000);
    expect(rejected.message()).toMatch(
      /^10,005 records were rejected: .*; and others\. The file lists 10,000 of them\.$/,
    );
  });
});
