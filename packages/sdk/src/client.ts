import type { Request } from '@tastegraph/contract';
import { endpoints, type OperationName } from '@tastegraph/contract/endpoints';
import { readAnswer } from './answer.ts';
import { type Clock, systemClock } from './clock.ts';
import { abortable, Deadline } from './deadline.ts';
import { ApiError, NotFoundError, TastegraphError, TimeoutError } from './errors.ts';
import { encode, exchange, type HttpRequest } from './http.ts';
import { type Answer, type CallArguments, type CallOptions, OperationMethods } from './operations.ts';
import { checkHeaderValue, checkTimeout, type Settings, settle, type TastegraphOptions } from './options.ts';
import { type Listed, type ListName, type ListRequest, listAll } from './pages.ts';
import { isRemoval } from './repeatable.ts';
import { leavesOutcomeOpen, withRetries } from './retry.ts';
import { TokenStore } from './tokens.ts';

/**
 * A client of one account. It keeps tokens and may be shared by any number of concurrent callers.
 * Key, secret and tokens are in private fields, which no inspection or serialisation shows.
 */
export class Tastegraph extends OperationMethods {
  readonly baseUrl: string;
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #tokens: TokenStore;
  readonly #sharedScope: string;

  /** The clock is for tests. */
  constructor(options: TastegraphOptions, clock: Clock = systemClock) {
    super();
    this.#settings = settle(options);
    this.#clock = clock;
    this.#tokens = new TokenStore(this.#settings, clock);
    this.#sharedScope = [...this.#settings.scopes].map((name) => endpoints[name][1]).join(' ');
    this.baseUrl = this.#settings.baseUrl;
  }

  /** What every method goes through. */
  async request<N extends OperationName>(
    name: N,
    request: Request<N>,
    options: CallOptions = {},
  ): Promise<Answer<N>> {
    if (!Object.hasOwn(endpoints, name)) throw new TypeError(`There is no operation ${name}.`);
    const timeoutMs = checkTimeout(options.timeoutMs ?? this.#settings.timeoutMs);
    const { signal, requestId } = options;
    const requestIdHeader =
      requestId === undefined ? {} : { 'X-Request-Id': checkHeaderValue('requestId', requestId) };
    const deadline = new Deadline(timeoutMs, this.#clock, signal);
    try {
      const encoded = await abortable(encode(name, request, this.#settings), deadline.signal);
      const headers = { ...encoded.headers, ...requestIdHeader };
      return (await this.#attempts(name, { ...encoded, headers }, deadline)) as Answer<N>;
    } catch (error) {
      if (!deadline.expired || error instanceof TastegraphError) throw error;
      throw new TimeoutError(name, timeoutMs);
    } finally {
      deadline.dispose();
    }
  }

  /** Every element of a list, page by page, newest first. `options` hold for each page by itself. */
  listAll<N extends ListName>(
    name: N,
    ...args: CallArguments<ListRequest<N>>
  ): AsyncGenerator<Listed<N>, void, undefined> {
    const [request = {}, options] = args;
    const fetchPage = (page: ListName, asked: object, each?: CallOptions) => this.request(page, asked, each);
    return listAll(fetchPage, name, request, options);
  }

  #attempts(name: OperationName, request: HttpRequest, deadline: Deadline): Promise<unknown> {
    let mayBeDone = false;
    const renewal = { done: false };
    const attempt = async () => {
      try {
        return await this.#authorized(name, request, deadline, renewal);
      } catch (error) {
        // The earlier attempt removed it, or nobody can tell; either way it is gone, as was asked.
        if (mayBeDone && isRemoval(name) && error instanceof NotFoundError) return null;
        mayBeDone ||= leavesOutcomeOpen(error);
        throw error;
      }
    };
    const { maxRetries } = this.#settings;
    return withRetries(name, attempt, { maxRetries, deadline, clock: this.#clock });
  }

  /** Sends it with a token. If a kept one is refused (keys rotate, clocks differ) a new one is tried, once. */
  async #authorized(
    name: OperationName,
    request: HttpRequest,
    deadline: Deadline,
    renewal: { done: boolean },
  ): Promise<object> {
    const scope = this.#settings.scopes.has(name) ? this.#sharedScope : endpoints[name][1];
    const newToken = () => abortable(this.#tokens.fetch(scope), deadline.signal);
    const kept = this.#tokens.find(scope);
    if (kept === undefined) return this.#send(name, request, await newToken(), deadline);
    try {
      return await this.#send(name, request, kept, deadline);
    } catch (error) {
      if (renewal.done || !(error instanceof ApiError) || error.status !== 401) throw error;
      renewal.done = true;
      this.#tokens.drop(scope, kept);
      return this.#send(name, request, this.#tokens.find(scope) ?? (await newToken()), deadline);
    }
  }

  async #send(name: OperationName, request: HttpRequest, token: string, deadline: Deadline): Promise<object> {
    const { apiKey, fetch } = this.#settings;
    const headers = { ...request.headers, APIKey: apiKey, Authorization: `Bearer ${token}` };
    const answer = await exchange(name, { ...request, headers }, fetch, deadline.signal);
    return readAnswer(name, answer, this.#clock.now());
  }
}
