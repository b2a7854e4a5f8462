import type { TokenResponse } from '@tastegraph/contract';
import { tokenPath } from '@tastegraph/contract/endpoints';
import type { Clock } from './clock.ts';
import { Deadline } from './deadline.ts';
import { TastegraphError, TimeoutError } from './errors.ts';
import { type HttpRequest, sendRequest } from './http.ts';
import type { KeyAccess, Settings } from './options.ts';
import { parseResponse } from './response.ts';
import { isTransient, withRetries } from './retry.ts';

/** Time for a call with the token to arrive, including retries, and for clocks to differ. */
const renewBeforeMs = 60_000;

interface Token {
  readonly value: string;
  /** When to renew it, which is before it expires. */
  readonly staleAt: number;
}

/** How long and how often a caller is willing to try for a token. */
interface RetryLimits {
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

interface Pending {
  readonly token: Promise<Token>;
  readonly limits: RetryLimits;
}

/**
 * Caches tokens by scope. At most one request per scope is in flight, and all callers share it. It has its own limits,
 * so that one caller's abort or short timeout does not affect the others. A caller with higher limits, such as an
 * import, tries again after a shared request has failed.
 */
export class TokenStore {
  readonly #settings: Settings;
  readonly #access: KeyAccess;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, Token>();
  readonly #pending = new Map<string, Pending>();

  constructor(settings: Settings, access: KeyAccess, clock: Clock) {
    this.#settings = settings;
    this.#access = access;
    this.#clock = clock;
  }

  /** Returns the cached token if it is still valid. */
  find(scope: string): string | undefined {
    const token = this.#tokens.get(scope);
    return token && token.staleAt > this.#clock.now() ? token.value : undefined;
  }

  async fetch(scope: string, limits: RetryLimits): Promise<string> {
    const pending = this.#pending.get(scope);
    if (!pending) return (await this.#start(scope, limits)).value;
    try {
      return (await pending.token).value;
    } catch (error) {
      const hasHigherLimits =
        limits.maxRetries > pending.limits.maxRetries || limits.timeoutMs > pending.limits.timeoutMs;
      if (!hasHigherLimits || !isTransient(error)) throw error;
    }
    return this.fetch(scope, limits);
  }

  /** Removes a refused token, unless it has already been replaced. */
  remove(scope: string, value: string): void {
    if (this.#tokens.get(scope)?.value === value) this.#tokens.delete(scope);
  }

  #start(scope: string, requested: RetryLimits): Promise<Token> {
    const limits = {
      timeoutMs: Math.max(this.#settings.timeoutMs, requested.timeoutMs),
      maxRetries: Math.max(this.#settings.maxRetries, requested.maxRetries),
    };
    const token = this.#request(scope, limits)
      .then((token) => {
        this.#tokens.set(scope, token);
        return token;
      })
      .finally(() => this.#pending.delete(scope));
    this.#pending.set(scope, { token, limits });
    return token;
  }

  async #request(scope: string, { timeoutMs, maxRetries }: RetryLimits): Promise<Token> {
    const { fetch, baseUrl } = this.#settings;
    const clock = this.#clock;
    const deadline = new Deadline(timeoutMs, clock);
    const request = tokenRequest(scope, baseUrl, this.#access);
    const attempt = async () => {
      const requestedAt = clock.now();
      const response = await sendRequest('token', request, fetch, deadline.signal);
      return readToken(parseResponse('token', response, clock.now()), requestedAt);
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

function tokenRequest(scope: string, baseUrl: string, { apiKey, apiSecret }: KeyAccess): HttpRequest {
  const form = { grant_type: 'client_credentials', client_id: apiKey, client_secret: apiSecret, scope };
  return {
    method: 'POST',
    url: baseUrl + tokenPath,
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/x-www-form-urlencoded',
      // The key names its cell; a load balancer routes by this header.
      APIKey: apiKey,
    },
    body: new URLSearchParams(form).toString(),
  };
}

function readToken(body: object, requestedAt: number): Token {
  const { access_token, expires_in } = body as Partial<Record<keyof TokenResponse, unknown>>;
  // An invalid header value is rejected here, because fetch would quote the token in its error.
  if (
    typeof access_token !== 'string' ||
    !/^[\x21-\x7e]+$/.test(access_token) ||
    typeof expires_in !== 'number'
  )
    throw new TastegraphError('token', 'the response contains no token. Check baseUrl.');
  const lifeMs = expires_in * 1000;
  // A token with a lifetime under two minutes is used for half of it.
  return { value: access_token, staleAt: requestedAt + lifeMs - Math.min(renewBeforeMs, lifeMs / 2) };
}
