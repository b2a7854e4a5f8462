import { describe, expect, test } from 'vitest';
import { openFile } from '../src/import/open-file.ts';
import { countRepeats, planImport } from '../src/import/plan.ts';
import { accountOf } from '../src/import/run-import.ts';

const open = (bytes: string | Buffer<ArrayBuffer>, name = 'products.csv') =>
  openFile(new File([bytes], name));

test('a file of Windows-1252 keeps its characters', async () => {
  const opened = await open('item_id;price\na;€ 12\n');
  expect(opened.encoding).toBe('utf-8');
  const western = await open(Buffer.from([...Buffer.from('item_id;title\na;Caf'), 0xe9, 0x0a]));
  expect(western.encoding).toBe('windows-1252');
  expect(western.sample).toEqual([['a', 'Café']]);
});

test('a character that is not in the encoding of the first rows ends the import', async () => {
  const read = async () => {
    const start = Buffer.from(`item_id,title\n${'a,b\n'.repeat(100_000)}a,Caf`);
    const opened = await open(Buffer.from([...start, 0xe9, 0x0a]));
    for await (const { rows } of opened.chunks) expect(rows.length).toBeGreaterThan(0);
  };
  await expect(read()).rejects.toThrow(/UTF-8/);
});

test('rows with the ID of an earlier one are counted before the import', async () => {
  const opened = await open('handle,title\nshirt,A shirt\nshirt,\nhat,A hat\nshirt,\n');
  const targets = new Map([['handle', { field: 'item_id' }]]);
  const { mapping } = planImport(opened, { kind: 'items', targets, eventType: '' });
  expect(mapping && countRepeats(opened, mapping)).toBe(2);
});

describe('the account of an import', () => {
  test('has every row', () => {
    expect(accountOf({ sent: 906, succeeded: 480, replaced: 420, failed: 6 })).toBe(
      '480 records imported, 420 rows with the ID of a later row, 6 rows rejected',
    );
    expect(accountOf({ sent: 1, succeeded: 1, replaced: 0, failed: 0 })).toBe('1 record imported');
  });
});
