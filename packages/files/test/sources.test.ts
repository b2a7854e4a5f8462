import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, expect, test } from 'vitest';
import { openSource } from '../src/sources/open.ts';
import { openParquet } from '../src/sources/parquet.ts';

const folder = mkdtempSync(join(tmpdir(), 'sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a pipe or a folder is refused, with a hint to use stdin', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  for (const path of [pipe, folder])
    await expect(openSource(path, {})).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(path) as string,
      next: expect.stringContaining('tastegraph import … -') as string,
    });
});

test('values in Parquet structs are JSON values', async () => {
  const seen = new Date(1_700_000_000_000);
  const of = (name: string, type: 'INT64' | 'BYTE_ARRAY') => ({
    name,
    type,
    repetition_type: 'REQUIRED' as const,
  });
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'item_id', data: ['a', 'b'] },
      {
        name: 'attributes',
        data: [
          { age: 3n, seen },
          { age: 1_234_567_890_123_456_781n, seen },
        ],
      },
    ],
    schema: [
      { name: 'root', num_children: 2 },
      { ...of('item_id', 'BYTE_ARRAY'), converted_type: 'UTF8' },
      { name: 'attributes', repetition_type: 'REQUIRED', num_children: 2 },
      of('age', 'INT64'),
      { ...of('seen', 'INT64'), converted_type: 'TIMESTAMP_MILLIS' },
    ],
  });
  const path = join(folder, 'structs.parquet');
  writeFileSync(path, Buffer.from(bytes));
  const rows: unknown[] = [];
  for await (const chunk of (await openParquet(path)).chunks()) rows.push(...chunk.rows);
  expect(rows).toEqual([
    ['a', { age: 3, seen }],
    ['b', { age: '1234567890123456781', seen }],
  ]);
});
