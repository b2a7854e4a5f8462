import { usageProblem } from '../../problem.ts';

/** Text from bytes, in pieces as they come. What is not text in this encoding is an error, not a row of question marks. */
export async function* decode(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = openDecoder(encoding);
  const piece = (chunk?: Buffer) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw usageProblem(
        `The source is not text in ${encoding}.`,
        'Say which encoding it has, as in `--encoding latin1`.',
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
    throw usageProblem(
      `The encoding ${encoding} is not known.`,
      'Common ones: utf-8, latin1, utf-16le, shift_jis.',
    );
  }
}
