import type { TokenResponse } from '@tastegraph/contract';
import { tokenPath } from '@tastegraph/contract/endpoints';
import { readAnswer } from './answer.ts';
import type { Clock } from './clock.ts';
import { Deadline } from './deadline.ts';
import { TastegraphError, TimeoutError } from './errors.ts';
import { exchange, type HttpRequest } from './http.ts';
import type { Settings } from './options.ts';
import { isPassing, withRetries } from './retry.ts';

/** Leaves a call that is sent with a token time to arrive, retries included, and clocks room to differ. */
const renewBeforeMs = 60_000;

interface Token {
  readonly value: string;
  /** When it is to be renewed, which is before it expires. */
  readonly staleAt: number;
}

/** How much a caller is ready to go through for a token. */
interface Patience {
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

interface Pending {
  readonly token: Promise<Token>;
  readonly patience: Patience;
}

/**
 * Tokens by scope set. One request is under way for a set at most, and everybody who needs it waits for that
 * one; it has limits of its own, so that one caller's abort or haste is not the others'. An import, which is to
 * outlast an outage, may raise them, and asks again where somebody less patient gave up.
 */
export class TokenStore {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, Token>();
  readonly #pending = new Map<string, Pending>();

  constructor(settings: Settings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** The token if there is one that is still good, at no cost. */
  find(scope: string): string | undefined {
    const token = this.#tokens.get(scope);
    return token && token.staleAt > this.#clock.now() ? token.value : undefined;
  }

  async fetch(scope: string, patience: Patience): Promise<string> {
    const joined = this.#pending.get(scope);
    if (!joined) return (await this.#start(scope, patience)).value;
    try {
      return (await joined.token).value;
    } catch (error) {
      const goesOn =
        patience.maxRetries > joined.patience.maxRetries || patience.timeoutMs > joined.patience.timeoutMs;
      if (!goesOn || !isPassing(error)) throw error;
    }
    return this.fetch(scope, patience);
  }

  /** Forgets a token that was refused, unless another has taken its place already. */
  drop(scope: string, value: string): void {
    if (this.#tokens.get(scope)?.value === value) this.#tokens.delete(scope);
  }

  #start(scope: string, asked: Patience): Promise<Token> {
    const patience = {
      timeoutMs: Math.max(this.#settings.timeoutMs, asked.timeoutMs),
      maxRetries: Math.max(this.#settings.maxRetries, asked.maxRetries),
    };
    const token = this.#request(scope, patience)
      .then((token) => {
        this.#tokens.set(scope, token);
        return token;
      })
      .finally(() => this.#pending.delete(scope));
    this.#pending.set(scope, { token, patience });
    return token;
  }

  async #request(scope: string, { timeoutMs, maxRetries }: Patience): Promise<Token> {
    const { fetch } = this.#settings;
    const clock = this.#clock;
    const deadline = new Deadline(timeoutMs, clock);
    const request = tokenRequest(scope, this.#settings);
    const attempt = async () => {
      const askedAt = clock.now();
      const answer = await exchange('token', request, fetch, deadline.signal);
      return readToken(readAnswer('token', answer, clock.now()), askedAt);
    };
    try {
      return await withRetries('token', attempt, { maxRetries, deadline, clock });
    } catch (error) {
      if (!deadline.expired || error instanceof TastegraphError) throw error;
      throw new TimeoutError('token', timeoutMs);
    } finally {
      deadline.dispose();
    }
  }
}

function tokenRequest(scope: string, { baseUrl, apiKey, apiSecret }: Settings): HttpRequest {
  const form = { grant_type: 'client_credentials', client_id: apiKey, client_secret: apiSecret, scope };
  return {
    method: 'POST',
    url: baseUrl + tokenPath,
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/x-www-form-urlencoded',
      // The key names its cell, and this header is what a load balancer reads to find it.
      APIKey: apiKey,
    },
    body: new URLSearchParams(form).toString(),
  };
}

function readToken(body: object, askedAt: number): Token {
  const { access_token, expires_in } = body as Partial<Record<keyof TokenResponse, unknown>>;
  // What a header cannot hold is refused here: fetch would quote it, token and all, in its error.
  if (
    typeof access_token !== 'string' ||
    !/^[\x21-\x7e]+$/.test(access_token) ||
    typeof expires_in !== 'number'
  )
    throw new TastegraphError('token', 'the answer holds no token. Check baseUrl.');
  const lifeMs = expires_in * 1000;
  // A token that lives shorter than two minutes is at least used for half its life.
  return { value: access_token, staleAt: askedAt + lifeMs - Math.min(renewBeforeMs, lifeMs / 2) };
}
