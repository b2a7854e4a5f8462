import { expect, test } from 'vitest';
import { readSample } from '../src/sample.ts';
import { type Chunk, MalformedRow, type Source } from '../src/sources/source.ts';

const perChunk = 5000;

function sourceOf(chunks: AsyncGenerator<Chunk>): Source {
  const source = { description: 'CSV', columns: ['a'], position: () => 0, size: undefined };
  return { ...source, chunks: () => chunks };
}

test('sampling a malformed source stops early and loses no rows', async () => {
  let read = 0;
  async function* malformed(): AsyncGenerator<Chunk> {
    for (; read < 100; read++) {
      const rows = Array.from({ length: perChunk }, () => new MalformedRow('no', 'x'));
      yield { rows, lines: rows.map((_, index) => read * perChunk + index + 1) };
    }
  }
  const { sample, chunks } = await readSample(sourceOf(malformed()));
  expect(sample).toEqual([]);
  expect(read).toBeLessThan(5);
  let rows = 0;
  for await (const chunk of chunks) rows += chunk.rows.length;
  expect(rows).toBe(100 * perChunk);
});
