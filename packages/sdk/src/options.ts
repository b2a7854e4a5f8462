import { endpoints, type OperationName } from '@tastegraph/contract/endpoints';

export interface TastegraphOptions {
  /** Where the service is, with the path it is mounted under if there is one. */
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  /**
   * Operations that one token is asked for together; `all` is every operation. An operation that is not among
   * them gets a token of its own at its first use, which is also what happens by default.
   */
  scopes?: 'all' | readonly OperationName[];
  /** Default: the platform's. */
  fetch?: typeof globalThis.fetch;
  /** For a whole call: its token, its retries and its pauses. Default: 30,000. Infinity sets no limit. */
  timeoutMs?: number;
  /** How often a call is repeated, at most, where that is safe. Default: 3. */
  maxRetries?: number;
  /** Bodies over this are sent compressed. Default: 4096. Infinity compresses nothing. */
  gzipAboveBytes?: number;
}

export interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly scopes: ReadonlySet<OperationName>;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly gzipAboveBytes: number;
}

/** Checks what would otherwise fail late or obscurely. No message repeats a value: one of them is the secret. */
export function settle(options: TastegraphOptions): Settings {
  return {
    baseUrl: checkBaseUrl(options.baseUrl),
    apiKey: checkHeaderValue('apiKey', options.apiKey),
    apiSecret: checkText('apiSecret', options.apiSecret),
    scopes: checkScopes(options.scopes),
    // Looked up at each call and called as a method: browsers refuse a fetch that is torn from its window.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: checkTimeout(options.timeoutMs ?? 30_000),
    maxRetries: checkMaxRetries(options.maxRetries ?? 3),
    // Below about four kilobytes a body fits in a few packets as it is, and compressing it only costs time.
    gzipAboveBytes: checkCount('gzipAboveBytes', options.gzipAboveBytes ?? 4096),
  };
}

export function checkTimeout(timeoutMs: number): number {
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be a number over 0.');
  return timeoutMs;
}

export function checkMaxRetries(maxRetries: number): number {
  return checkCount('maxRetries', maxRetries);
}

/** What a header cannot hold would make fetch fail as if the network had. */
export function checkHeaderValue(name: string, value: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(checkText(name, value)))
    throw new TypeError(`${name} must be 1 to 200 printable ASCII characters without spaces.`);
  return value;
}

function checkBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new TypeError('baseUrl must be an absolute http or https URL.');
  if (url.username || url.password || url.search || url.hash)
    throw new TypeError('baseUrl must hold no credentials, query or fragment.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function checkText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '')
    throw new TypeError(`${name} must be a string that is not empty.`);
  return value;
}

function checkScopes(scopes: TastegraphOptions['scopes'] = []): ReadonlySet<OperationName> {
  const names = scopes === 'all' ? (Object.keys(endpoints) as OperationName[]) : scopes;
  const unknown = names.find((name) => !Object.hasOwn(endpoints, name));
  if (unknown !== undefined) throw new TypeError(`scopes: there is no operation ${unknown}.`);
  return new Set(names);
}

function checkCount(name: string, value: number): number {
  if (!(value >= 0)) throw new TypeError(`${name} must be a number of 0 or more.`);
  return value;
}
