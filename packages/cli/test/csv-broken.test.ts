import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CsvReader } from '../src/import/sources/csv.ts';
import { Malformed } from '../src/import/sources/source.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

/** Rows by their lines; a malformed one as its reason and what stands there. */
async function read(text: string, size = text.length) {
  const reader = new CsvReader({ delimiter: ',', columns: undefined });
  const rows: [number, unknown][] = [];
  for await (const chunk of reader.chunks(pieces(text, size)))
    for (const [place, row] of chunk.rows.entries())
      rows.push([
        chunk.lines[place] ?? 0,
        row instanceof Malformed ? { reason: row.reason, text: row.text } : row,
      ]);
  return { columns: reader.columns, rows };
}

const stray = 'has a quote within a quoted cell, which must be doubled there';
const sizes = [1, 2, 3, 7, 1000];

describe('rows end as the header does, in pieces of any size', () => {
  test.each(sizes)('%i', async (size) => {
    expect(await read('id,text\n1,"one\r\ntwo"\n2,"three\r\n"\n3,x\n', size)).toEqual({
      columns: ['id', 'text'],
      rows: [
        [2, ['1', 'one\r\ntwo']],
        [4, ['2', 'three\r\n']],
        [6, ['3', 'x']],
      ],
    });
    expect(await read('"i\nd",text\r\n1,"one\ntwo"\r\n2,x', size)).toEqual({
      columns: ['i\nd', 'text'],
      rows: [
        [3, ['1', 'one\ntwo']],
        [5, ['2', 'x']],
      ],
    });
    expect(await read('a,b\r1,2\r3,"4\r5"\r6,7\r', size)).toEqual({
      columns: ['a', 'b'],
      rows: [
        [2, ['1', '2']],
        [3, ['3', '4\r5']],
        [5, ['6', '7']],
      ],
    });
  });

  test('a header that was put before rows of another kind leaves no mark in their cells', async () => {
    expect((await read('a,b\n1,2\r\n\r\n3,"4"\r\n')).rows).toEqual([
      [2, ['1', '2']],
      [4, ['3', '4']],
    ]);
  });
});

describe('a broken quote costs the line that its row begins on, and no other', () => {
  test.each(sizes)('in pieces of %i', async (size) => {
    const text =
      'id,title\n1,"two\nlines"\n2,"Weird Al" Yankovic\n3,"a, b"\n4,"open\n5,"e"\n6,"two\nmore" \n';
    expect((await read(text, size)).rows).toEqual([
      [2, ['1', 'two\nlines']],
      [4, { reason: stray, text: '2,"Weird Al" Yankovic' }],
      [5, ['3', 'a, b']],
      [6, { reason: stray, text: '4,"open' }],
      [7, ['5', 'e']],
      [8, ['6', 'two\nmore']],
    ]);
  });

  test('also where nothing closes it until the end', async () => {
    expect((await read('id,title\n1,"open\n2,b\n3,c')).rows).toEqual([
      [2, { reason: 'has a quote that is not closed', text: '1,"open' }],
      [3, ['2', 'b']],
      [4, ['3', 'c']],
    ]);
  });

  test('and the rows that it held back do not come all at once', async () => {
    const text = `a\n"open\n${'x\n'.repeat(300_000)}`;
    const reader = new CsvReader({ delimiter: ',', columns: undefined });
    let rows = 0;
    for await (const chunk of reader.chunks(pieces(text, 256 * 1024))) {
      expect(chunk.rows.length).toBeLessThanOrEqual(2 ** 17);
      rows += chunk.rows.length;
    }
    expect(rows).toBe(300_001);
  });

  test('and no row becomes the header because the header is broken', async () => {
    await expect(read('id,"na"me\n1,2\n')).rejects.toThrow('Line 1, the header, has a quote');
  });

  test('however the text comes in pieces', async () => {
    const part = fc.constantFrom('a', ',', '"', '\n', ' ', '""', ',"', '"\n');
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        async (parts, size) => {
          const text = `h,k\n${parts.join('')}`;
          expect(await read(text, size)).toEqual(await read(text));
        },
      ),
    );
  });

  // Row after row is followed to the same place far behind, where it breaks: it must not be followed each time.
  test.each([
    ['strays', 'u,"Weird Al" Yankovic\n'.repeat(100_000), 100_000],
    ['quotes that close the next line', `${'a",b,"c\n'.repeat(100_000)}x"y\n`, 100_001],
    ['quotes that are never closed', 'a",b,"c\n'.repeat(100_000), 100_000],
  ])('in a time that grows with the text: %s', async (_, text, count) => {
    expect((await read(`id,title\n${text}`, 256 * 1024)).rows.length).toBe(count);
  });
});
