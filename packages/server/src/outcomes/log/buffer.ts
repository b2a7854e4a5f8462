interface AccountLines {
  readonly lines: string[];
  length: number;
}

/** Answers that wait to be written, as JSON lines. */
export interface Batch {
  readonly text: string;
  readonly answers: number;
  readonly firstTs: number;
  readonly lastTs: number;
}

/**
 * Lines of bounded total length, by account. When it is full, the account with the most pays: its oldest lines make room
 * for another account, and its own new lines are dropped. So no account can crowd out the answers of others.
 */
export class DecisionBuffer {
  readonly #maxLength: number;
  readonly #accounts = new Map<string, AccountLines>();
  #length = 0;
  #count = 0;
  #firstTs = Number.POSITIVE_INFINITY;
  #lastTs = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.#length;
  }

  get count(): number {
    return this.#count;
  }

  /** When the oldest answer was given; infinite if there is none. */
  get firstTs(): number {
    return this.#firstTs;
  }

  /** Returns how many answers were dropped. */
  add(accountId: string, line: string, ts: number): number {
    const own = this.#accounts.get(accountId) ?? { lines: [], length: 0 };
    let dropped = 0;
    while (this.#length + line.length > this.#maxLength) {
      const largest = this.#largest();
      if (!largest || largest === own || largest.length <= own.length + line.length) return dropped + 1;
      this.#length -= removeFirst(largest);
      this.#count--;
      dropped++;
    }
    this.#accounts.set(accountId, own);
    own.lines.push(line);
    own.length += line.length;
    this.#length += line.length;
    this.#count++;
    this.#firstTs = Math.min(this.#firstTs, ts);
    this.#lastTs = Math.max(this.#lastTs, ts);
    return dropped;
  }

  /** Takes everything out, the answers of each account together. Undefined if there is nothing. */
  take(): Batch | undefined {
    if (this.#count === 0) return undefined;
    const accountIds = [...this.#accounts.keys()].toSorted();
    const text = accountIds.flatMap((accountId) => this.#accounts.get(accountId)?.lines ?? []).join('\n');
    const batch = { text, answers: this.#count, firstTs: this.#firstTs, lastTs: this.#lastTs };
    this.#accounts.clear();
    this.#length = 0;
    this.#count = 0;
    this.#firstTs = Number.POSITIVE_INFINITY;
    this.#lastTs = 0;
    return batch;
  }

  #largest(): AccountLines | undefined {
    let largest: AccountLines | undefined;
    for (const account of this.#accounts.values())
      if (!largest || account.length > largest.length) largest = account;
    return largest;
  }
}

function removeFirst(account: AccountLines): number {
  const length = account.lines.shift()?.length ?? 0;
  account.length -= length;
  return length;
}
