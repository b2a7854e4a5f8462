import { expect, test } from 'vitest';
import { takeSample } from '../src/import/sample.ts';
import { type Chunk, Malformed, type Source } from '../src/import/sources/source.ts';

const perChunk = 5000;

function sourceOf(chunks: AsyncGenerator<Chunk>): Source {
  const source = { description: 'CSV', columns: ['a'], position: () => 0, size: undefined };
  return { ...source, chunks: () => chunks };
}

test('a source of which nothing can be read is not read to its end, and none of it is lost', async () => {
  let read = 0;
  async function* malformed(): AsyncGenerator<Chunk> {
    for (; read < 100; read++) {
      const rows = Array.from({ length: perChunk }, () => new Malformed('no', 'x'));
      yield { rows, lines: rows.map((_, place) => read * perChunk + place + 1) };
    }
  }
  const { sample, chunks } = await takeSample(sourceOf(malformed()));
  expect(sample).toEqual([]);
  expect(read).toBeLessThan(5);
  let rows = 0;
  for await (const chunk of chunks) rows += chunk.rows.length;
  expect(rows).toBe(100 * perChunk);
});
