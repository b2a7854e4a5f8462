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
