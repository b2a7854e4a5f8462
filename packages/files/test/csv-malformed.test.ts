import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CsvReader } from '../src/sources/csv.ts';
import { MalformedRow } from '../src/sources/source.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

/** Rows with their lines; a malformed row as its text. */
async function read(text: string, size = text.length) {
  const reader = new CsvReader({ delimiter: ',', columns: undefined });
  const rows: [number, unknown][] = [];
  for await (const chunk of reader.chunks(pieces(text, size)))
    for (const [index, row] of chunk.rows.entries())
      rows.push([chunk.lines[index] ?? 0, row instanceof MalformedRow ? { malformed: row.text } : row]);
  return { columns: reader.columns, rows };
}

const sizes = [1, 2, 3, 7, 1000];

describe("the header's line ending applies to all rows, in pieces of any size", () => {
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

  test('a \\n header before \\r\\n rows leaves no \\r in their cells', async () => {
    expect((await read('a,b\n1,2\r\n\r\n3,"4"\r\n')).rows).toEqual([
      [2, ['1', '2']],
      [4, ['3', '4']],
    ]);
  });
});

describe('a broken quote rejects only the line on which its row starts', () => {
  test.each(sizes)('in pieces of %i', async (size) => {
    const text =
      'id,title\n1,"two\nlines"\n2,"Weird Al" Yankovic\n3,"a, b"\n4,"open\n5,"e"\n6,"two\nmore" \n';
    expect((await read(text, size)).rows).toEqual([
      [2, ['1', 'two\nlines']],
      [4, { malformed: '2,"Weird Al" Yankovic' }],
      [5, ['3', 'a, b']],
      [6, { malformed: '4,"open' }],
      [7, ['5', 'e']],
      [8, ['6', 'two\nmore']],
    ]);
  });

  test('even if the quote is not closed until the end', async () => {
    expect((await read('id,title\n1,"open\n2,b\n3,c')).rows).toEqual([
      [2, { malformed: '1,"open' }],
      [3, ['2', 'b']],
      [4, ['3', 'c']],
    ]);
  });

  test('and the rows after it come in chunks of limited size', async () => {
    const text = `a\n"open\n${'x\n'.repeat(300_000)}`;
    const reader = new CsvReader({ delimiter: ',', columns: undefined });
    let rows = 0;
    for await (const chunk of reader.chunks(pieces(text, 256 * 1024))) {
      expect(chunk.rows.length).toBeLessThanOrEqual(2 ** 17);
      rows += chunk.rows.length;
    }
    expect(rows).toBe(300_001);
  });

  test('and a broken header is an error', async () => {
    await expect(read('id,"na"me\n1,2\n')).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('regardless of the size of the pieces', async () => {
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

  // Each row leads to the same distant quote, which must not be searched for each time.
  test.each([
    ['strays', 'u,"Weird Al" Yankovic\n'.repeat(100_000), 100_000],
    ['quotes that close the next line', `${'a",b,"c\n'.repeat(100_000)}x"y\n`, 100_001],
    ['quotes that are never closed', 'a",b,"c\n'.repeat(100_000), 100_000],
  ])('in linear time: %s', async (_, text, count) => {
    expect((await read(`id,title\n${text}`, 256 * 1024)).rows.length).toBe(count);
  });
});
