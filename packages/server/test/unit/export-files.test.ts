import { describe, expect, test } from 'vitest';
import { formats, writeFiles } from '../../src/exports/formats.ts';
import { exactNumbers, type StoredRecord } from '../../src/exports/read-pages.ts';

const dataset = {
  kind: 'item',
  dataset_key: 1,
  partition: 0,
  record_count: 0,
  attribute_schema: { price: 'NUMERICAL', genres: 'CATEGORICAL', item_id: 'TEXT', attributes: 'TEXT' },
} as const;

async function* pagesOf(count: number, each: number): AsyncGenerator<StoredRecord[], void> {
  for (let page = 0; page < count; page++)
    yield Array.from({ length: each }, (_, n) => ({ id: `${page}-${n}`, attributes: '{}' }));
}

/** The files as text. */
async function filesOf(
  pages: AsyncGenerator<StoredRecord[], void>,
  fileBytes: number,
  format: 'NDJSON' | 'CSV' = 'NDJSON',
) {
  let [mostPages, inHand] = [0, 0];
  const files = await writeFiles(pages, {
    fileBytes,
    createEncoder: () => formats[format].createEncoder(dataset),
    onPage: () => (mostPages = Math.max(mostPages, ++inHand)),
    put: async (number, source) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of source) {
        inHand = 0;
        chunks.push(chunk);
      }
      return { number, text: Buffer.concat(chunks).toString() };
    },
  });
  return { files, mostPages };
}

describe('the files of an export', () => {
  test('have every record once, in order, whatever their size, one page in memory', async () => {
    for (const fileBytes of [1, 100, 350, 1_000_000]) {
      const { files, mostPages } = await filesOf(pagesOf(20, 3), fileBytes);
      expect(files.map(({ number }) => number)).toEqual(files.map((_, index) => index + 1));
      const ids = files.flatMap(({ text }) =>
        text
          .split('\n')
          .slice(0, -1)
          .map((line) => (JSON.parse(line) as { item_id: string }).item_id),
      );
      expect(ids).toEqual(Array.from({ length: 60 }, (_, n) => `${Math.floor(n / 3)}-${n % 3}`));
      expect(mostPages).toBe(1);
      if (fileBytes === 1) expect(files).toHaveLength(20);
      if (fileBytes === 1_000_000) expect(files).toHaveLength(1);
    }
  });

  test('are one even without records, and each CSV file has the header', async () => {
    const header = 'item_id,price,genres,attributes\r\n';
    expect((await filesOf(pagesOf(0, 0), 10)).files).toEqual([{ number: 1, text: '' }]);
    expect((await filesOf(pagesOf(0, 0), 10, 'CSV')).files).toEqual([{ number: 1, text: header }]);
    const { files } = await filesOf(pagesOf(2, 1), 1, 'CSV');
    expect(files.map(({ text }) => text)).toEqual([`${header}0-0,,,"{}"\r\n`, `${header}1-0,,,"{}"\r\n`]);
  });

  test('fail with the error of the source', async () => {
    async function* broken(): AsyncGenerator<StoredRecord[], void> {
      yield [{ id: 'a', attributes: '{}' }];
      throw new Error('gone');
    }
    await expect(filesOf(broken(), 1000)).rejects.toThrow('gone');
  });
});

test('CSV quotes every cell that a reader could misread', () => {
  const encoder = formats.CSV.createEncoder(dataset);
  const record = { id: ' a"b,\r\n', attributes: '{"price": 1.5, "genres": ["x", 2], "attributes": "y"}' };
  expect(encoder.encode([record]).toString()).toBe(
    `item_id,price,genres,attributes\r\n" a""b,\r\n",1.5,"x|2","{""price"": 1.5, ""genres"": [""x"", 2], ""attributes"": ""y""}"\r\n`,
  );
});

test('integers beyond the precision of a double are written with an exponent, and nothing else changes', () => {
  const values = [
    1e300,
    -1e21,
    2 ** 53,
    2 ** 53 - 1,
    0.1 + 0.2,
    1e-300,
    5,
    '1234567890123456789012',
    'a"\\1000000000000000000000',
  ];
  const digits = (value: unknown) =>
    typeof value === 'number' ? BigInt(value).toString() : JSON.stringify(value);
  const json = `{"1000000000000000000000": [${values.map((value) => (Number.isInteger(value) ? digits(value) : JSON.stringify(value))).join(', ')}]}`;
  const written = exactNumbers(json);
  expect(JSON.parse(written)).toEqual({ '1000000000000000000000': values });
  expect(written).toContain('1e+300');
  expect(written).toContain('9007199254740991,');
  expect(exactNumbers('{"a": 1}')).toBe('{"a": 1}');
});
