import { ElementScanner } from './element-scanner.ts';
import { openArray } from './json-bytes.ts';
import { EnvelopeTooLarge, type ListField, TooManyElements } from './list-field.ts';
import { CompactText, MemberScanner } from './member-scanner.ts';

/**
 * Checks a body while it is decompressed: a few kilobytes of gzip may become 32 MiB. A body with too many records, or too
 * much outside them, is refused as soon as that is detected.
 */
export class ListGuard {
  readonly #list: ListField;
  readonly #members: MemberScanner;
  #elements: ElementScanner | undefined;
  #count = 0;

  constructor(list: ListField, envelopeBytes: number) {
    this.#list = list;
    const text = new CompactText(envelopeBytes);
    this.#members = new MemberScanner(Buffer.alloc(0), { stepBytes: Infinity, name: list.name, text });
  }

  /** `body` is everything received so far. Scans the bytes added since the last call, at 2 ms per MB. */
  check(body: Buffer): void {
    this.#members.extend(body);
    this.#elements?.extend(body);
    while (this.#elements ? this.#scanElements(this.#elements) : this.#scanMembers(body));
  }

  /** Returns false when there is nothing more to scan. */
  #scanMembers(body: Buffer): boolean {
    try {
      if (this.#members.step() === 'end') return false;
    } catch (error) {
      throw error instanceof RangeError ? new EnvelopeTooLarge() : error;
    }
    const { position } = this.#members;
    if (body[position] !== openArray) return true;
    this.#count = 0;
    this.#elements = new ElementScanner(body, position + 1, Infinity);
    return true;
  }

  #scanElements(elements: ElementScanner): boolean {
    const step = elements.step();
    if (step === 'incomplete') return false;
    if (step === 'closed') {
      this.#members.skipTo(elements.position);
      this.#elements = undefined;
    } else if (++this.#count > this.#list.maxElements) throw new TooManyElements();
    return true;
  }
}
