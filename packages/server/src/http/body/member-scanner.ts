import { parseJson } from '../../kernel/lib/json.ts';
import type { Slice } from '../../kernel/lib/slices.ts';
import {
  backslash,
  byteKinds,
  closeArray,
  closeObject,
  colon,
  isComma,
  isWhite,
  openArray,
  openObject,
  quote,
  space,
} from './json-bytes.ts';

/** JSON text in which each run of white space is one space, which may be needed to separate two tokens. */
export class CompactText {
  readonly #maxBytes: number;
  readonly #tooLarge: () => Error;
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  constructor(maxBytes: number, tooLarge = () => new Error('the text is too large')) {
    this.#maxBytes = maxBytes;
    this.#tooLarge = tooLarge;
  }

  /** Throws the error of `tooLarge` beyond `maxBytes`. */
  add(byte: number): void {
    if (this.#length === this.#bytes.length) {
      if (this.#length >= this.#maxBytes) throw this.#tooLarge();
      const larger = Buffer.allocUnsafe(Math.min(2 * this.#length, this.#maxBytes));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }

  addBlank(): void {
    if (this.#bytes[this.#length - 1] !== space) this.add(space);
  }

  toBuffer(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  toString(): string {
    return this.toBuffer().toString();
  }
}

export interface ScannedBody {
  readonly bytes: Buffer;
  readonly stepBytes: number;
  readonly slice: Slice;
}

interface ScanOptions {
  readonly stepBytes: number;
  readonly start?: number;
  readonly end?: number;
  /** The member of the outermost object to stop at. */
  readonly name?: string;
  /** Collects the scanned text. */
  readonly text?: CompactText;
}

/** Scans JSON in steps of bounded length and stops where the value of a member of the outermost object begins. */
export class MemberScanner {
  #bytes: Buffer;
  #end: number;
  readonly #stepBytes: number;
  readonly #name: string | undefined;
  readonly #text: CompactText | undefined;
  #at: number;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #stringStart = 0;
  #stringEnd = 0;
  #isValueNext = false;

  constructor(bytes: Buffer, { stepBytes, start = 0, end = bytes.length, name, text }: ScanOptions) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#stepBytes = stepBytes;
    this.#name = name;
    this.#text = text;
  }

  /** Continues in a longer buffer that begins with the same bytes. */
  extend(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** After a step that returns 'value', the byte where the value begins. */
  get position(): number {
    return this.#at;
  }

  /** Continues after the value without scanning it. */
  skipTo(position: number): void {
    this.#at = position;
  }

  step(): 'value' | 'paused' | 'end' {
    const stop = Math.min(this.#end, this.#at + this.#stepBytes);
    while (this.#at < stop) {
      if (this.#text === undefined && !this.#isValueNext) this.#skipPlain(stop);
      if (this.#at >= stop) break;
      const byte = this.#bytes[this.#at] ?? 0;
      if (this.#inString) this.#passInString(byte);
      else if (byteKinds[byte] === isWhite) {
        this.#text?.addBlank();
        this.#skipBlanks(stop);
        continue;
      } else if (this.#isValueNext) {
        this.#isValueNext = false;
        return 'value';
      } else this.#pass(byte);
      this.#at++;
    }
    return this.#at < this.#end ? 'paused' : 'end';
  }

  /** 32 MiB of white space compress to 32 kB. Scanned byte by byte, each megabyte would take 36 ms. */
  #skipBlanks(stop: number): void {
    const bytes = this.#bytes;
    const kinds = byteKinds;
    let at = this.#at + 1;
    while (at < stop && kinds[bytes[at] as number] === isWhite) at++;
    this.#at = at;
  }

  /** Skips to the next structural byte. */
  #skipPlain(stop: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    if (this.#inString) {
      if (this.#isEscaped) return;
      while (at < stop && bytes[at] !== quote && bytes[at] !== backslash) at++;
    } else {
      const kinds = byteKinds;
      let kind = kinds[bytes[at] as number] as number;
      while (at < stop && (kind === 0 || kind === isWhite || kind === isComma))
        kind = kinds[bytes[++at] as number] as number;
    }
    this.#at = at;
  }

  #passInString(byte: number): void {
    this.#text?.add(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) {
      this.#inString = false;
      this.#stringEnd = this.#at + 1;
    }
  }

  #pass(byte: number): void {
    this.#text?.add(byte);
    if (byte === quote) {
      this.#inString = true;
      this.#stringStart = this.#at;
    } else if (byte === openObject || byte === openArray) this.#depth++;
    else if (byte === closeObject || byte === closeArray) this.#depth--;
    else if (byte === colon && this.#depth === 1) this.#isValueNext = this.#isName();
  }

  /** Whether the last string is the searched name, with or without escapes. */
  #isName(): boolean {
    const name = this.#name;
    const length = this.#stringEnd - this.#stringStart;
    // An escape turns one byte into six.
    if (name === undefined || length > 6 * name.length + 2) return false;
    const written = this.#bytes.toString('utf8', this.#stringStart, this.#stringEnd);
    if (!written.includes('\\')) return written === `"${name}"`;
    try {
      return parseJson(written) === name;
    } catch {
      return false;
    }
  }
}
