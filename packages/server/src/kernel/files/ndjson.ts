/** Large enough that a million lines do not become a million buffers. */
const chunkLength = 64 * 1024;

/** One line per value, in chunks: for results that need not fit into memory. */
export async function* writeLines(
  values: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<Buffer, void> {
  let text = '';
  for await (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** Parses lines as they arrive. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
  if (rest !== '') yield JSON.parse(rest);
}

/** Rounds a share for results. The digits kept are finer than any measurement error. */
export const roundShare = (value: number) => Math.round(value * 1e6) / 1e6;
