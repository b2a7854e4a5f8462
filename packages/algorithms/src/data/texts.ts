import { ModelFileError } from '../container.ts';
import { copyInto } from '../lib/arrays.ts';

/** A list of texts in arrays that can be stored in a file: all of them in UTF-8, one after the other, and where each ends. */
export interface Texts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** The maximum in UTF-8 per UTF-16 code unit. */
const bytesPerUnit = 3;
/** The end of a text is stored in 32 bits. */
const maxBytes = 2 ** 32 - 1;

/** Packs texts without keeping a string for each: their bytes plus 4 per text, of which up to half is unused. */
export class TextsBuilder {
  #bytes = new Uint8Array(1024);
  #ends = new Uint32Array(256);
  #count = 0;
  readonly #encoder = new TextEncoder();

  get count(): number {
    return this.#count;
  }

  push(text: string): void {
    // A lone surrogate would be decoded as another text.
    if (!text.isWellFormed()) throw new TypeError(`Text ${this.#count} has no form in UTF-8`);
    const from = this.#begin(text.length * bytesPerUnit);
    this.#end(from + this.#encoder.encodeInto(text, this.#bytes.subarray(from)).written);
  }

  /** A text that is already UTF-8, one character per byte. */
  pushBytes(bytes: string): void {
    const from = this.#begin(bytes.length);
    for (let place = 0; place < bytes.length; place++) this.#bytes[from + place] = bytes.charCodeAt(place);
    this.#end(from + bytes.length);
  }

  append({ bytes, ends }: Texts): void {
    const from = this.#begin(bytes.length);
    this.#bytes.set(bytes, from);
    for (const end of ends) this.#end(from + end);
  }

  /** Removes the last text. */
  pop(): void {
    this.#count--;
  }

  /** The bytes collected so far, followed by unused capacity: for callers that often read single bytes. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Where text `index` ends, and the next one begins; 0 before the first. */
  endOf(index: number): number {
    return index < 0 ? 0 : this.#ends[index]!;
  }

  /** Views of the texts so far, valid until the next one is added. */
  build(): Texts {
    const ends = this.#ends.subarray(0, this.#count);
    return { bytes: this.#bytes.subarray(0, ends.at(-1) ?? 0), ends };
  }

  #begin(room: number): number {
    const from = this.#count === 0 ? 0 : this.#ends[this.#count - 1]!;
    // Worded like a failed allocation, so that it is handled as one.
    if (from + room > maxBytes) throw new RangeError('Array buffer allocation failed: texts of over 4 GiB');
    if (from + room > this.#bytes.length) {
      const size = Math.min(maxBytes, Math.ceil((from + room) * 1.5));
      this.#bytes = copyInto(new Uint8Array(size), this.#bytes);
    }
    return from;
  }

  #end(end: number): void {
    if (this.#count === this.#ends.length)
      this.#ends = copyInto(new Uint32Array(Math.ceil(this.#count * 1.5)), this.#ends);
    this.#ends[this.#count++] = end;
  }
}

export function packTexts(texts: Iterable<string>): Texts {
  const builder = new TextsBuilder();
  for (const text of texts) builder.push(text);
  return builder.build();
}

/** The bytes of one text, in place. */
export function bytesAt({ bytes, ends }: Texts, index: number): Uint8Array {
  return bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
}

/** Decodes one text, for lists too long to keep a string for each. */
export function textAt(texts: Texts, index: number): string {
  // Copied because TextDecoder does not accept shared memory.
  return decode(exactDecoder, bytesAt(texts, index).slice());
}

/** Describes what is wrong with a list, if anything, that would make `textAt` read out of bounds. */
export function flawOfTexts({ bytes, ends }: Texts): string | undefined {
  for (let index = 1; index < ends.length; index++)
    if (ends[index]! < ends[index - 1]!) return 'The model has texts that overlap';
  return (ends.at(-1) ?? 0) === bytes.length ? undefined : 'The model has more text than its lists name';
}

// Keeps a leading U+FEFF, which belongs to the text.
const exactDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function unpackTexts({ bytes, ends }: Texts): string[] {
  // Copied because TextDecoder does not accept shared memory.
  const own = bytes.slice();
  const flaw = flawOfTexts({ bytes, ends });
  if (flaw) throw new ModelFileError(flaw);
  const all = decode(exactDecoder, own);
  // If every byte is one character, as in most IDs, slicing one string is ten times as fast as decoding one by one.
  const textOf =
    all.length === own.length
      ? (from: number, end: number) => all.slice(from, end)
      : (from: number, end: number) => decode(exactDecoder, own.subarray(from, end));
  return Array.from(ends, (end, index) => textOf(index === 0 ? 0 : ends[index - 1]!, end));
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new ModelFileError('The model has a text that is not UTF-8', { cause });
  }
}
