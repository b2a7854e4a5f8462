import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { CsvReader, guessDelimiter } from '../src/sources/csv.ts';
import { MalformedRow } from '../src/sources/source.ts';
import { decode } from '../src/sources/text.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function read(text: string, size = text.length, delimiter = ',') {
  const reader = new CsvReader({ delimiter, columns: undefined });
  const rows: unknown[] = [];
  const lines: number[] = [];
  for await (const chunk of reader.chunks(pieces(text, Math.max(1, size)))) {
    rows.push(...chunk.rows);
    lines.push(...chunk.lines);
  }
  return { columns: reader.columns, rows, lines };
}

test('quotes, line breaks in cells and doubled quotes follow RFC 4180, and lines are counted', async () => {
  const text = 'id,title\r\n1,"Good, Bad"\r\n2,"two\r\nlines"\r\n3,"say ""hi"""\r\n';
  expect(await read(text)).toEqual({
    columns: ['id', 'title'],
    rows: [
      ['1', 'Good, Bad'],
      ['2', 'two\r\nlines'],
      ['3', 'say "hi"'],
    ],
    lines: [2, 3, 5],
  });
});

test('CSV round-trips, in pieces of any size', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', '"', '\n', 'é', '🎬', '|'), maxLength: 6 });
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 40 }), async (rows, size) => {
      const text = Papa.unparse([['a', 'b', 'c'], ...rows], { newline: '\n', quotes: true });
      expect((await read(text, size)).rows).toEqual(rows);
    }),
  );
});

test('a row with too few or too many cells is malformed, and the rows around it are read', async () => {
  const { rows, lines } = await read('a,b\n1,2\n3\n\n4,5,6\n7,8');
  expect(rows).toEqual([['1', '2'], expect.any(MalformedRow), expect.any(MalformedRow), ['7', '8']]);
  expect(lines).toEqual([2, 3, 5, 6]);
});

test('an unclosed quote is an error instead of filling the memory', async () => {
  const text = `a,b\n1,"${'x\n'.repeat(3_000_000)}`;
  await expect(read(text, 256 * 1024)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('Line 2') as string,
  });
});

describe('the delimiter is guessed from the header', () => {
  test.each([
    ['user,item,ts', ','],
    ['user\titem', '\t'],
    ['user;item;"a,b,c,d"', ';'],
    ['user|item|ts', '|'],
    ['one', ','],
  ])('%j', (head, delimiter) => expect(guessDelimiter(`${head}\nx`)).toBe(delimiter));
});

test('text in another encoding is not read as UTF-8', async () => {
  async function* latin1() {
    yield Buffer.from('Amélie', 'latin1');
  }
  const decoded = async (encoding: string) => {
    let text = '';
    for await (const piece of decode(latin1(), encoding)) text += piece;
    return text;
  };
  await expect(decoded('utf-8')).rejects.toMatchObject({
    code: 'USAGE',
    next: expect.stringContaining('--encoding') as string,
  });
  expect(await decoded('latin1')).toBe('Amélie');
});
