import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, expect, test } from 'vitest';
import { ReadLimits } from '../src/sources/limits.ts';
import { openParquet } from '../src/sources/parquet.ts';
import { hostileParquet } from './hostile-parquet.ts';

const folder = mkdtempSync(join(tmpdir(), 'parquet-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('rows of several row groups come in order, as JSON values', async () => {
  const rows = 25_000;
  const count = <T>(make: (n: number) => T) => Array.from({ length: rows }, (_, n) => make(n));
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'item_id', data: count((n) => `i${n}`), type: 'STRING' },
      { name: 'big', data: count((n) => 1_700_000_000_000n + BigInt(n)), type: 'INT64' },
      { name: 'price', data: count((n) => (n % 2 === 0 ? n / 4 : null)), type: 'DOUBLE' },
      { name: 'seen', data: count((n) => new Date(1_700_000_000_000 + n)), type: 'TIMESTAMP' },
    ],
    rowGroupSize: 4000,
  });
  const path = join(folder, 'a.parquet');
  writeFileSync(path, Buffer.from(bytes));
  const source = await openParquet(path);
  expect(source).toMatchObject({ columns: ['item_id', 'big', 'price', 'seen'], size: rows });
  let row = 0;
  for await (const chunk of source.chunks())
    for (const [index, cells] of chunk.rows.entries()) {
      const price = row % 2 === 0 ? row / 4 : undefined;
      const [id, big, found, seen] = cells as unknown[];
      expect([id, big, found ?? undefined, seen]).toEqual([
        `i${row}`,
        1_700_000_000_000 + row,
        price,
        new Date(1_700_000_000_000 + row),
      ]);
      row += 1;
      expect(chunk.lines[index]).toBe(row);
    }
  expect(row).toBe(rows);
  expect(source.position()).toBe(rows);
});

test.each(['list.parquet', 'rows.parquet', 'values.parquet'] as const)(
  '%s, which claims more than its size can hold, is refused before memory is allocated for it',
  async (name) => {
    const path = join(folder, name);
    writeFileSync(path, hostileParquet[name]);
    const before = process.memoryUsage().rss;
    await expect(readAll(path)).rejects.toThrow(/claims (a list|more values)/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  },
);

test('pages count toward the limit of bytes with their decompressed size', async () => {
  const data = Array.from({ length: 200_000 }, () => 7);
  const columnData = [{ name: 'item_id', data, type: 'INT32' as const, encoding: 'PLAIN' as const }];
  const path = join(folder, 'equal.parquet');
  writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData, codec: 'SNAPPY' })));
  await expect(readAll(path, new ReadLimits(1e5))).rejects.toMatchObject({ code: 'LIMIT' });
  await readAll(path, new ReadLimits(1e9));
});

async function readAll(path: string, limits?: ReadLimits): Promise<void> {
  const source = await openParquet(path, { limits });
  for await (const { rows } of source.chunks()) expect(rows.length).toBeGreaterThan(0);
}
