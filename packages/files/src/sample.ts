import { type Cells, type Chunk, MalformedRow, type Source } from './sources/source.ts';

/** Rows that guesses are based on: enough to include rare values. */
const sampleRows = 1000;

/** Stop after this many malformed rows: the sample is kept in memory, and the format is probably wrong. */
const maxMalformed = 10_000;

/** A chunk has up to 4 MiB if its rows are long: fewer rows are enough then. */
const maxChunks = 64;

/** Returns the first rows, and all chunks including those of the sample. */
export async function readSample(source: Source): Promise<{ sample: Cells[]; chunks: AsyncIterable<Chunk> }> {
  const iterator = source.chunks()[Symbol.asyncIterator]();
  const taken: Chunk[] = [];
  const sample: Cells[] = [];
  let malformed = 0;
  while (sample.length < sampleRows && malformed < maxMalformed && taken.length < maxChunks) {
    const next = await iterator.next();
    if (next.done) break;
    taken.push(next.value);
    for (const row of next.value.rows)
      if (row instanceof MalformedRow) malformed += 1;
      else if (sample.length < sampleRows) sample.push(row);
  }
  async function* all(): AsyncGenerator<Chunk> {
    for (let chunk = taken.shift(); chunk; chunk = taken.shift()) yield chunk;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { sample, chunks: all() };
}
