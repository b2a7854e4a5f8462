import { parseJson } from '../../kernel/lib/json.ts';

/** Placeholder for a record that would take too long to parse. Has at most the ID of the record's fields. */
export class RefusedRecord {
  readonly [idField: string]: unknown;
  readonly #reason: RefusalReason;

  constructor(reason: RefusalReason, id: Readonly<Record<string, unknown>>) {
    this.#reason = reason;
    Object.assign(this, id);
  }

  static reasonOf(record: RefusedRecord): RefusalReason {
    return record.#reason;
  }
}

export type RefusalReason = 'too large' | 'too deep' | 'too many names';

/**
 * Placeholder for a record of a large body whose text is valid JSON. Has at most the ID of the record's fields. The record
 * is parsed again when it is checked: keeping a batch of parsed records costs more garbage collection than parsing twice.
 */
export class UnparsedRecord {
  readonly [idField: string]: unknown;
  readonly #json: Buffer;

  constructor(json: Buffer, id: Readonly<Record<string, unknown>>) {
    this.#json = json;
    Object.assign(this, id);
  }

  static parse(record: UnparsedRecord): unknown {
    return parseJson(record.#json.toString());
  }
}
