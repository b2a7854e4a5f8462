import { SourceError } from '../source-error.ts';

/** Decodes text in pieces. Bytes that are invalid in the encoding are an error. */
export async function* decode(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = openDecoder(encoding);
  const piece = (chunk?: Buffer) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new SourceError(
        `The source is not valid ${encoding} text.`,
        'Pass its encoding, for example `--encoding latin1`.',
      );
    }
  };
  for await (const chunk of bytes) yield piece(chunk);
  const rest = piece();
  if (rest !== '') yield rest;
}

function openDecoder(encoding: string) {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new SourceError(
      `Unknown encoding ${encoding}.`,
      'Pass another encoding, for example utf-8, latin1, utf-16le or shift_jis.',
    );
  }
}
