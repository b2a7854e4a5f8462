import { ModelFileError } from './container.ts';

/** A list of texts as arrays of a file: all of them in UTF-8, one after the other, and where each ends. */
export interface Texts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** Longest in UTF-8: three bytes for a unit of UTF-16. */
const bytesPerUnit = 3;

export function packTexts(texts: readonly string[]): Texts {
  let units = 0;
  for (const text of texts) units += text.length;
  const bytes = new Uint8Array(units * bytesPerUnit);
  const ends = new Uint32Array(texts.length);
  const encoder = new TextEncoder();
  let size = 0;
  for (const [index, text] of texts.entries()) {
    // Half a surrogate pair would come back as another text.
    if (!text.isWellFormed()) throw new TypeError(`Text ${index} has no form in UTF-8`);
    size += encoder.encodeInto(text, bytes.subarray(size)).written;
    ends[index] = size;
  }
  return { bytes: bytes.slice(0, size), ends };
}

export function unpackTexts({ bytes, ends }: Texts): string[] {
  // Texts may begin with U+FEFF, which is then theirs.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  // Copied, because a decoder of text does not read shared memory.
  const own = bytes.slice();
  let from = 0;
  const texts = Array.from(ends, (end) => {
    if (end < from || end > own.length) throw new ModelFileError('The model has texts that overlap');
    const text = decode(decoder, own.subarray(from, end));
    from = end;
    return text;
  });
  if (from !== own.length) throw new ModelFileError('The model has more text than its lists name');
  return texts;
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new ModelFileError('The model has a text that is not UTF-8', { cause });
  }
}
