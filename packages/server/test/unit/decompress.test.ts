import { gzipSync } from 'node:zlib';
import { limits } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import { bodyRulesOf } from '../../src/http/body/body-rules.ts';
import { decompress } from '../../src/http/body/decompress.ts';

const { list } = bodyRulesOf('upsertDatasetUsers');

/** Decompresses a gzip body. Returns the outcome and how many bytes were decompressed. */
async function decompressed(text: string): Promise<{ outcome: string | undefined; bytes: number }> {
  let bytes = 0;
  const options = {
    encoding: 'gzip',
    maxBytes: limits.bodyBytes,
    list,
    reserve: (held: number) => {
      bytes = held;
    },
    account: 'account',
  };
  const outcome = await decompress(gzipSync(text, { level: 1 }), options).then(
    (body) => (body.equals(Buffer.from(text)) ? 'whole' : 'other'),
    (error: unknown) => (error as { code?: string }).code,
  );
  return { outcome, bytes };
}

const megabyte = 1024 * 1024;
const records = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, n) => `{"user_id":"u${n}","attributes":{"a":"${'x'.repeat(bytes)}"}}`);

describe('gzip of a large list', () => {
  test('stops being decompressed at its 1,001st record', async () => {
    const many = await decompressed(`{"user_dataset_id":"x","users":[${'"",'.repeat(5_000_000)}""]}`);
    expect(many.outcome).toBe('TOO_MANY_RECORDS');
    expect(many.bytes).toBeLessThanOrEqual(2 * megabyte);
    // Steps end anywhere: in strings, names and escapes.
    const larger = await decompressed(`{"users":[${records(6000, 4000).join(', ')}]}`);
    expect(larger.outcome).toBe('TOO_MANY_RECORDS');
    expect(larger.bytes).toBeLessThanOrEqual(6 * megabyte);
  });

  test('stops being decompressed at the limit of what may be outside it', async () => {
    const outside = await decompressed(`[${'[],'.repeat(5_000_000)}0]`);
    expect(outside.outcome).toBe('BODY_TOO_LARGE');
    expect(outside.bytes).toBeLessThanOrEqual(2 * megabyte);
  });

  test.each([
    ['a full batch', `{"users":[${records(1000, 20_000).join(',')}]}`],
    ['escapes and brackets in strings', `{"users":[${`"${'\\"[,\\\\'.repeat(200)}",`.repeat(999)}0]}`],
    [
      'the list twice',
      `{"users":[${records(900, 2000).join(',')}],"users":[${records(900, 2000).join(',')}]}`,
    ],
    ['white space', ` {"users" : [ ${' '.repeat(4 * megabyte)} ] } `],
    ['what is cut off', `{"users":[${records(900, 2000).join(',')}`],
  ])('is decompressed completely: %s', async (_, text) => {
    expect((await decompressed(text)).outcome).toBe('whole');
  });
});
