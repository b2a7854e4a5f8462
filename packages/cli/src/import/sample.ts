import { type Cells, type Chunk, Malformed, type Source } from './sources/source.ts';

/** What guesses are made from: enough to meet the values that are rare. */
const sampleRows = 1000;

/** After so many that cannot be read, more would not help, and what is read for the sample is in memory. */
const mostMalformed = 10_000;

/** The first rows, and all chunks, those that the sample was taken from among them. */
export async function takeSample(source: Source): Promise<{ sample: Cells[]; chunks: AsyncIterable<Chunk> }> {
  const iterator = source.chunks()[Symbol.asyncIterator]();
  const taken: Chunk[] = [];
  const sample: Cells[] = [];
  let malformed = 0;
  while (sample.length < sampleRows && malformed < mostMalformed) {
    const next = await iterator.next();
    if (next.done) break;
    taken.push(next.value);
    for (const row of next.value.rows)
      if (row instanceof Malformed) malformed += 1;
      else if (sample.length < sampleRows) sample.push(row);
  }
  async function* all(): AsyncGenerator<Chunk> {
    for (let chunk = taken.shift(); chunk; chunk = taken.shift()) yield chunk;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { sample, chunks: all() };
}
