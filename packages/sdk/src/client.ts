import type { EventChange, EventRecord, ItemRecord, Request, UserRecord } from '@tastegraph/contract';
import { endpoints, isRemoval, type JobType, type OperationName } from '@tastegraph/contract/endpoints';
import { type Access, type Authorize, type CallLimits, createAuthorize } from './authorize.ts';
import { type Clock, systemClock } from './clock.ts';
import { abortable, Deadline } from './deadline.ts';
import { NotFoundError, TastegraphError, TimeoutError } from './errors.ts';
import { encodeJson, encodeRequest, type HttpRequest, sendRequest } from './http.ts';
import { RecordImport, type RecordSource } from './import/import-records.ts';
import { bodyOf, eventImport, type ImportKind, itemImport, userImport } from './import/kinds.ts';
import type { ImportOptions, ImportReport } from './import/report.ts';
import { type JobToWaitFor, type SucceededJob, type WaitOptions, waitForJob } from './jobs.ts';
import { type Answer, type CallArguments, type CallOptions, OperationMethods } from './operations.ts';
import {
  checkHeaderValue,
  checkMaxRetries,
  checkTimeout,
  resolveOptions,
  type Settings,
  type TastegraphOptions,
} from './options.ts';
import { type Listed, type ListName, type ListRequest, listAll } from './pages.ts';
import { parseResponse } from './response.ts';
import { hasUnknownOutcome, withRetries } from './retry.ts';

/**
 * A client for one API key, one write key, or the session of a person in a browser. It caches tokens and is safe to share
 * between concurrent callers. Keys, secret and tokens are in private fields, which do not appear when the client is logged or serialized.
 */
export class Tastegraph extends OperationMethods {
  readonly baseUrl: string;
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #authorize: Authorize;

  /** The clock is for tests. */
  constructor(options: TastegraphOptions, clock: Clock = systemClock) {
    super();
    this.#settings = resolveOptions(options);
    this.#clock = clock;
    this.#authorize = createAuthorize(this.#settings, clock);
    this.baseUrl = this.#settings.baseUrl;
  }

  /** Calls an operation by name. All other methods use it. */
  async request<N extends OperationName>(
    name: N,
    request: Request<N>,
    options: CallOptions = {},
  ): Promise<Answer<N>> {
    if (!Object.hasOwn(endpoints, name)) throw new TypeError(`Unknown operation ${name}.`);
    return this.#call(name, () => encodeRequest(name, request, this.#settings), options);
  }

  async #call<N extends OperationName>(
    name: N,
    encode: () => Promise<HttpRequest>,
    options: CallOptions,
  ): Promise<Answer<N>> {
    const timeoutMs = checkTimeout(options.timeoutMs ?? this.#settings.timeoutMs);
    const maxRetries = checkMaxRetries(options.maxRetries ?? this.#settings.maxRetries);
    const { signal, requestId } = options;
    const requestIdHeader =
      requestId === undefined ? {} : { 'X-Request-Id': checkHeaderValue('requestId', requestId) };
    const deadline = new Deadline(timeoutMs, this.#clock, signal);
    try {
      const encoded = await abortable(encode(), deadline.signal);
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

  /** Iterates over all elements of a list, in its order. `options` apply to the request of each page. */
  listAll<N extends ListName>(
    name: N,
    ...args: CallArguments<ListRequest<N>>
  ): AsyncGenerator<Listed<N>, void, undefined> {
    const [request = {}, options] = args;
    const fetchPage = (page: ListName, pageRequest: object, each?: CallOptions) =>
      this.request(page, pageRequest, each);
    return listAll(fetchPage, name, request, options);
  }

  /**
   * Waits until a job has succeeded and returns it. Rejects with a JobFailedError or a JobCanceledError if the job
   * fails or is canceled. Polls four times per second at first and every ten seconds later, and tolerates outages of
   * up to ten minutes.
   */
  waitForJob<T extends JobType = JobType>(
    job: JobToWaitFor<T>,
    options: WaitOptions = {},
  ): Promise<SucceededJob<T>> {
    return waitForJob((request, each) => this.getJob(request, each), job, options, this.#clock);
  }

  /** Upserts users from a source of any length. Rejects with an ImportError if a call fails after its retries. */
  importUsers(
    user_dataset_id: string,
    source: RecordSource<UserRecord>,
    options: ImportOptions<UserRecord> = {},
  ): Promise<ImportReport> {
    return this.#import(userImport, user_dataset_id, source, options);
  }

  /** Upserts items from a source of any length. Rejects with an ImportError if a call fails after its retries. */
  importItems(
    item_dataset_id: string,
    source: RecordSource<ItemRecord>,
    options: ImportOptions<ItemRecord> = {},
  ): Promise<ImportReport> {
    return this.#import(itemImport, item_dataset_id, source, options);
  }

  /** Upserts events from a source of any length. Rejects with an ImportError if a call fails after its retries. */
  importEvents<R extends EventRecord | EventChange>(
    event_dataset_id: string,
    source: RecordSource<R>,
    options: ImportOptions<R> = {},
  ): Promise<ImportReport> {
    return this.#import<R>(eventImport, event_dataset_id, source, options);
  }

  async #import<R>(
    kind: ImportKind<R>,
    datasetId: string,
    source: RecordSource<R>,
    options: ImportOptions<R>,
  ): Promise<ImportReport> {
    const { operation } = kind;
    const send = (records: readonly string[], each: CallOptions) => {
      const body = bodyOf(kind, datasetId, records, options.mode);
      return this.#call(operation, () => encodeJson(operation, body, this.#settings), each);
    };
    return new RecordImport(kind, send, options, this.#clock).run(source);
  }

  #attempts(name: OperationName, request: HttpRequest, limits: CallLimits): Promise<unknown> {
    let mayHaveRun = false;
    const renewal = { done: false };
    const attempt = async () => {
      try {
        const send = (access: Access) => this.#send(name, request, access, limits.deadline);
        return await this.#authorize(name, send, limits, renewal);
      } catch (error) {
        // An earlier attempt may have deleted it. Either way it is gone, as requested.
        if (mayHaveRun && isRemoval(name) && error instanceof NotFoundError) return null;
        mayHaveRun ||= hasUnknownOutcome(error);
        throw error;
      }
    };
    return withRetries(name, attempt, { ...limits, clock: this.#clock });
  }

  async #send(
    name: OperationName,
    request: HttpRequest,
    access: Access,
    deadline: Deadline,
  ): Promise<object> {
    const headers = { ...request.headers, ...access.headers };
    const sent = { ...request, ...access, headers };
    const response = await sendRequest(name, sent, this.#settings.fetch, deadline.signal);
    return parseResponse(name, response, this.#clock.now());
  }
}
