import type { EventRecord, ItemRecord, Request, UserRecord } from '@tastegraph/contract';
import { endpoints, type OperationName } from '@tastegraph/contract/endpoints';
import { readAnswer } from './answer.ts';
import { type Clock, systemClock } from './clock.ts';
import { abortable, Deadline } from './deadline.ts';
import { ApiError, NotFoundError, TastegraphError, TimeoutError } from './errors.ts';
import { encode, encodeJson, exchange, type HttpRequest } from './http.ts';
import { RecordImport, type RecordSource } from './import/import-records.ts';
import { bodyOf, eventImport, type ImportKind, itemImport, userImport } from './import/kinds.ts';
import type { ImportOptions, ImportReport } from './import/report.ts';
import { type JobToWaitFor, type JobType, type SucceededJob, type WaitOptions, waitForJob } from './jobs.ts';
import { type Answer, type CallArguments, type CallOptions, OperationMethods } from './operations.ts';
import {
  checkHeaderValue,
  checkMaxRetries,
  checkTimeout,
  type Settings,
  settle,
  type TastegraphOptions,
} from './options.ts';
import { type Listed, type ListName, type ListRequest, listAll } from './pages.ts';
import { isRemoval } from './repeatable.ts';
import { leavesOutcomeOpen, withRetries } from './retry.ts';
import { TokenStore } from './tokens.ts';

interface CallLimits {
  readonly deadline: Deadline;
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

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
    return this.#call(name, () => encode(name, request, this.#settings), options);
  }

  async #call<N extends OperationName>(
    name: N,
    encoding: () => Promise<HttpRequest>,
    options: CallOptions,
  ): Promise<Answer<N>> {
    const timeoutMs = checkTimeout(options.timeoutMs ?? this.#settings.timeoutMs);
    const maxRetries = checkMaxRetries(options.maxRetries ?? this.#settings.maxRetries);
    const { signal, requestId } = options;
    const requestIdHeader =
      requestId === undefined ? {} : { 'X-Request-Id': checkHeaderValue('requestId', requestId) };
    const deadline = new Deadline(timeoutMs, this.#clock, signal);
    try {
      const encoded = await abortable(encoding(), deadline.signal);
      const headers = { ...encoded.headers, ...requestIdHeader };
      const limits = { deadline, timeoutMs, maxRetries };
      return (await this.#attempts(name, { ...encoded, headers }, limits)) as Answer<N>;
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

  /**
   * The job, once it has succeeded. Rejects with a JobFailedError or JobCanceledError when it ends otherwise. It
   * looks often at first and every ten seconds later on, and goes on looking while the service is away for minutes.
   */
  waitForJob<T extends JobType = JobType>(
    job: JobToWaitFor<T>,
    options: WaitOptions = {},
  ): Promise<SucceededJob<T>> {
    return waitForJob((request, each) => this.getJob(request, each), job, options, this.#clock);
  }

  /** Upserts the users of a source of any length. A call that fails for good ends it with an ImportError. */
  importUsers(
    user_dataset_id: string,
    source: RecordSource<UserRecord>,
    options: ImportOptions<UserRecord> = {},
  ): Promise<ImportReport> {
    return this.#import(userImport, user_dataset_id, source, options);
  }

  /** Upserts the items of a source of any length. A call that fails for good ends it with an ImportError. */
  importItems(
    item_dataset_id: string,
    source: RecordSource<ItemRecord>,
    options: ImportOptions<ItemRecord> = {},
  ): Promise<ImportReport> {
    return this.#import(itemImport, item_dataset_id, source, options);
  }

  /** Upserts the events of a source of any length. A call that fails for good ends it with an ImportError. */
  importEvents(
    event_dataset_id: string,
    source: RecordSource<EventRecord>,
    options: ImportOptions<EventRecord> = {},
  ): Promise<ImportReport> {
    return this.#import(eventImport, event_dataset_id, source, options);
  }

  async #import<R>(
    kind: ImportKind<R>,
    datasetId: string,
    source: RecordSource<R>,
    options: ImportOptions<R>,
  ): Promise<ImportReport> {
    const { operation } = kind;
    const send = (records: readonly string[], each: CallOptions) => {
      const body = bodyOf(kind, datasetId, records);
      return this.#call(operation, () => encodeJson(operation, body, this.#settings), each);
    };
    return new RecordImport(kind, send, options, this.#clock).run(source);
  }

  #attempts(name: OperationName, request: HttpRequest, limits: CallLimits): Promise<unknown> {
    let mayBeDone = false;
    const renewal = { done: false };
    const attempt = async () => {
      try {
        return await this.#authorized(name, request, limits, renewal);
      } catch (error) {
        // The earlier attempt removed it, or nobody can tell; either way it is gone, as was asked.
        if (mayBeDone && isRemoval(name) && error instanceof NotFoundError) return null;
        mayBeDone ||= leavesOutcomeOpen(error);
        throw error;
      }
    };
    return withRetries(name, attempt, { ...limits, clock: this.#clock });
  }

  /** Sends it with a token. If a kept one is refused (keys rotate, clocks differ) a new one is tried, once. */
  async #authorized(
    name: OperationName,
    request: HttpRequest,
    limits: CallLimits,
    renewal: { done: boolean },
  ): Promise<object> {
    const { deadline } = limits;
    const scope = this.#settings.scopes.has(name) ? this.#sharedScope : endpoints[name][1];
    const newToken = () => abortable(this.#tokens.fetch(scope, limits), deadline.signal);
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
