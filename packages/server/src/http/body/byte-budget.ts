import { ApiError } from '../api-error.ts';
import { incompleteBody } from './body-rules.ts';

/** The share of one request in the budget. */
export interface Reservation {
  /** Sets the bytes that the request holds. Throws if that is too much for the account or the process. */
  reserve(bytes: number): void;
  /** Frees the bytes. A later `reserve` throws. */
  release(): void;
}

interface BudgetOptions {
  /** Over all requests. */
  readonly totalBytes: number;
  /** Per account, so that no account can use up the total. */
  readonly accountBytes: number;
  /** Requests up to this size are never refused because of large requests of other accounts. */
  readonly smallBytes: number;
}

/** Limits the bytes of bodies in memory, until the response. Counts received bytes: a large Content-Length alone takes nothing. */
export class ByteBudget {
  readonly #options: BudgetOptions;
  readonly #accounts = new Map<string, number>();
  #total = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  open(account: string): Reservation {
    let reserved = 0;
    let isReleased = false;
    return {
      reserve: (bytes) => {
        if (isReleased) throw incompleteBody();
        this.#check(account, bytes, bytes - reserved);
        this.#add(account, bytes - reserved);
        reserved = bytes;
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#add(account, -reserved);
        reserved = 0;
      },
    };
  }

  #check(account: string, bytes: number, more: number): void {
    if (more <= 0) return;
    const { accountBytes, totalBytes, smallBytes } = this.#options;
    if ((this.#accounts.get(account) ?? 0) + more > accountBytes)
      throw new ApiError(
        'TOO_MANY_REQUESTS',
        `The bodies of the account's concurrent requests have more than ${accountBytes} bytes in total. Send fewer large requests at the same time.`,
        { retryAfterSeconds: 1 },
      );
    if (bytes > smallBytes && this.#total + more > totalBytes)
      throw new ApiError('UNAVAILABLE', 'The server is busy with other large requests. Try again shortly.', {
        retryAfterSeconds: 1,
      });
  }

  #add(account: string, more: number): void {
    this.#total += more;
    const held = (this.#accounts.get(account) ?? 0) + more;
    if (held > 0) this.#accounts.set(account, held);
    else this.#accounts.delete(account);
  }
}
