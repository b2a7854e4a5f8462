import { ModelFileError } from './container.ts';

/** A list of texts as arrays of a file: all of them in UTF-8, one after the other, and where each ends. */
export interface Texts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** Longest in UTF-8: three bytes for a unit of UTF-16. */
const bytesPerUnit = 3;
/** Where a text ends is held in 32 bits. */
const mostBytes = 2 ** 32 - 1;

/** Packs texts as they come, without a string for each: their bytes and 4 more, half of it spare at worst. */
export class TextsBuilder {
  #bytes = new Uint8Array(1024);
  #ends = new Uint32Array(256);
  #count = 0;
  readonly #encoder = new TextEncoder();

  get count(): number {
    return this.#count;
  }

  push(text: string): void {
    // Half a surrogate pair would come back as another text.
    if (!text.isWellFormed()) throw new TypeError(`Text ${this.#count} has no form in UTF-8`);
    const from = this.#begin(text.length * bytesPerUnit);
    this.#end(from + this.#encoder.encodeInto(text, this.#bytes.subarray(from)).written);
  }

  /** A text in UTF-8, a character a byte. */
  pushBytes(bytes: string): void {
    const from = this.#begin(bytes.length);
    for (let place = 0; place < bytes.length; place++) this.#bytes[from + place] = bytes.charCodeAt(place);
    this.#end(from + bytes.length);
  }

  /** Takes the last one back. */
  pop(): void {
    this.#count--;
  }

  /** What is collected so far and, beyond, room: for whoever looks at single bytes often. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Where text `index` ends, and the next one begins; 0 before the first. */
  endOf(index: number): number {
    return index < 0 ? 0 : this.#ends[index]!;
  }

  /** Views of what is collected so far, good until the next one comes. */
  build(): Texts {
    const ends = this.#ends.subarray(0, this.#count);
    return { bytes: this.#bytes.subarray(0, ends.at(-1) ?? 0), ends };
  }

  #begin(room: number): number {
    const from = this.#count === 0 ? 0 : this.#ends[this.#count - 1]!;
    // In the words of an allocation that fails, which it would come to.
    if (from + room > mostBytes) throw new RangeError('Array buffer allocation failed: texts of over 4 GiB');
    if (from + room > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(mostBytes, Math.ceil((from + room) * 1.5)));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    return from;
  }

  #end(end: number): void {
    if (this.#count === this.#ends.length) {
      const grown = new Uint32Array(Math.ceil(this.#count * 1.5));
      grown.set(this.#ends);
      this.#ends = grown;
    }
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

/** One text, of lists too long to have a string for each. */
export function textAt(texts: Texts, index: number): string {
  // Copied, because a decoder of text does not read shared memory.
  return decode(exactDecoder, bytesAt(texts, index).slice());
}

/** Those at the places for which `keep` says so, in the same order. */
export function filterTexts(texts: Texts, keep: (index: number) => boolean): Texts {
  const ends = new Uint32Array(texts.ends.length);
  const bytes = new Uint8Array(texts.bytes.length);
  let [count, size] = [0, 0];
  for (let index = 0; index < ends.length; index++) {
    if (!keep(index)) continue;
    const kept = bytesAt(texts, index);
    bytes.set(kept, size);
    size += kept.length;
    ends[count++] = size;
  }
  return { bytes: bytes.subarray(0, size), ends: ends.subarray(0, count) };
}

/** What is wrong with a list, if something is: `textAt` would read beside the bytes. */
export function flawOfTexts({ bytes, ends }: Texts): string | undefined {
  for (let index = 1; index < ends.length; index++)
    if (ends[index]! < ends[index - 1]!) return 'The model has texts that overlap';
  return (ends.at(-1) ?? 0) === bytes.length ? undefined : 'The model has more text than its lists name';
}

// Texts may begin with U+FEFF, which is then theirs.
const exactDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function unpackTexts({ bytes, ends }: Texts): string[] {
  // Copied, because a decoder of text does not read shared memory.
  const own = bytes.slice();
  const flaw = flawOfTexts({ bytes, ends });
  if (flaw) throw new ModelFileError(flaw);
  const all = decode(exactDecoder, own);
  // Where each byte is a character, as in most ids, to cut is ten times as fast as to decode one by one.
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
