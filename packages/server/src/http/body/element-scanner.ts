import {
  backslash,
  byteKinds,
  closeArray,
  isColon,
  isComma,
  isOpening,
  isQuote,
  isWhite,
  quote,
} from './json-bytes.ts';

export interface Element {
  readonly start: number;
  readonly end: number;
  /** Bytes of white space outside strings. */
  readonly blanks: number;
  /** Brackets, commas and colons, which make JSON expensive to parse. */
  readonly parts: number;
  /** Colons, one per field of its objects. */
  readonly names: number;
  /** Levels of nested objects and arrays, including the element. */
  readonly depth: number;
}

/** Finds the elements of a JSON array by strings, brackets and separators. Parsing each one then proves that it is valid JSON. */
export class ElementScanner {
  #bytes: Buffer;
  readonly #stepBytes: number;
  #at: number;
  #start: number;
  #depth = 0;
  #inString = false;
  #blanks = 0;
  #parts = 0;
  #names = 0;
  #maxDepth = 0;
  #count = 0;
  #isClosed = false;

  /** `start` is the byte after the opening bracket of the array. */
  constructor(bytes: Buffer, start: number, stepBytes: number) {
    this.#bytes = bytes;
    this.#stepBytes = stepBytes;
    this.#at = start;
    this.#start = start;
  }

  /** Continues in a longer buffer that begins with the same bytes. */
  extend(bytes: Buffer): void {
    this.#bytes = bytes;
  }

  /** The byte after the scanned part. Once the array is closed, the byte after its closing bracket. */
  get position(): number {
    return this.#at;
  }

  step(): Element | 'paused' | 'closed' | 'incomplete' {
    if (this.#isClosed) return 'closed';
    const bytes = this.#bytes;
    const kinds = byteKinds;
    const end = Math.min(bytes.length, this.#at + this.#stepBytes);
    let at = this.#inString ? this.#skipString(this.#at, end) : this.#at;
    let depth = this.#depth;
    let blanks = this.#blanks;
    let parts = this.#parts;
    let names = this.#names;
    let maxDepth = this.#maxDepth;
    let isElement = false;
    while (at < end && !isElement) {
      const kind = kinds[bytes[at++] as number];
      if (kind === 0) continue;
      if (kind === isQuote) at = this.#skipString(at, end);
      else if (kind === isWhite) blanks++;
      else if (kind === isComma) {
        if (depth === 0) isElement = true;
        else parts++;
      } else if (kind === isColon) {
        names++;
        parts++;
      } else if (kind === isOpening) {
        if (++depth > maxDepth) maxDepth = depth;
        parts++;
      } else if (depth > 0) {
        depth--;
        parts++;
      } else if (bytes[at - 1] === closeArray) isElement = this.#isClosed = true;
    }
    this.#at = at;
    this.#depth = depth;
    this.#blanks = blanks;
    this.#parts = parts;
    this.#names = names;
    this.#maxDepth = maxDepth;
    if (isElement) return this.#takeElement();
    return at < bytes.length ? 'paused' : 'incomplete';
  }

  #takeElement(): Element | 'closed' {
    const element = {
      start: this.#start,
      end: this.#at - 1,
      blanks: this.#blanks,
      parts: this.#parts,
      names: this.#names,
      depth: this.#maxDepth,
    };
    // After a comma there must be an element. The parser refuses one that is only white space.
    if (this.#isClosed && this.#count === 0 && element.blanks === element.end - element.start)
      return 'closed';
    this.#count++;
    this.#start = this.#at;
    this.#blanks = 0;
    this.#parts = 0;
    this.#names = 0;
    this.#maxDepth = 0;
    return element;
  }

  /** Returns the byte after the string's closing quote, or the byte to continue from if the string extends beyond `end`. */
  #skipString(from: number, end: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (at < end) {
      const byte = bytes[at++];
      if (byte === quote) {
        this.#inString = false;
        return at;
      }
      if (byte === backslash) at++;
    }
    this.#inString = true;
    return at;
  }
}
