/** Integers, structs and lists by their field IDs. The rest is skipped. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;
type ThriftValue = number | ThriftStruct | ThriftValue[] | undefined;

/** Real files are nested about ten levels deep. */
const maxDepth = 32;

/**
 * Reads structs of Thrift's compact protocol. Every size is compared with the bytes that are left before anything is
 * allocated: a few bytes can claim a list of two billion structs.
 */
export class ThriftReader {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  struct(depth = 0): ThriftStruct {
    if (depth > maxDepth) throw damaged('is nested too deep');
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (let header = this.#byte(); header !== 0; header = this.#byte()) {
      id = header >> 4 ? id + (header >> 4) : this.#integer();
      fields.set(id, this.#value(header & 15, depth));
    }
    return fields;
  }

  #value(type: number, depth: number): ThriftValue {
    switch (type) {
      case 1:
      case 2:
        return undefined;
      case 3:
        this.#skip(1);
        return undefined;
      case 4:
      case 5:
      case 6:
        return this.#integer();
      case 7:
        this.#skip(8);
        return undefined;
      case 8:
        this.#skip(this.#varint());
        return undefined;
      case 9:
        return this.#list(depth);
      case 12:
        return this.struct(depth + 1);
      default:
        throw damaged(`has a field of the unknown type ${type}`);
    }
  }

  #list(depth: number): ThriftValue[] {
    const header = this.#byte();
    const size = header >> 4 === 15 ? this.#varint() : header >> 4;
    // Each element takes a byte or more.
    if (size > this.#bytes.length - this.at) throw damaged('claims a list that is longer than the file');
    const type = header & 15;
    const values: ThriftValue[] = [];
    for (let n = 0; n < size; n++) values.push(this.#value(type === 1 || type === 2 ? 3 : type, depth + 1));
    return values;
  }

  #skip(length: number): void {
    if (length > this.#bytes.length - this.at) throw damaged('ends too early');
    this.at += length;
  }

  #byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw damaged('ends too early');
    this.at += 1;
    return byte;
  }

  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw damaged('has a number of more than 64 bits');
  }

  /** Zigzag. */
  #integer(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

export const damaged = (what: string) => new Error(`The Parquet file ${what}.`);
