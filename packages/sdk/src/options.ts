import { endpoints, type OperationName } from '@tastegraph/contract/endpoints';

/** The client has one of: an API key, a write key, or the session of a person in a browser. */
export type TastegraphOptions = CommonOptions & (KeyOptions | WriteKeyOptions | SessionOptions);

interface KeyOptions {
  apiKey: string;
  apiSecret: string;
  /** Operations that share one token; `all` for every one. Others get their own when they are first used. Default: none. */
  scopes?: 'all' | readonly OperationName[];
  writeKey?: never;
  session?: never;
}

/** For a sender that only writes events: any other call is refused. */
interface WriteKeyOptions {
  writeKey: string;
  apiKey?: never;
  apiSecret?: never;
  scopes?: never;
  session?: never;
}

/** For a page that the service itself serves: the browser sends the session's cookie, which scripts cannot read. */
interface SessionOptions {
  session: {
    /** The `csrf_token` of `GET /console/session`. */
    csrfToken: string;
    /** The account that the calls are for. */
    accountId: string;
  };
  writeKey?: never;
  apiKey?: never;
  apiSecret?: never;
  scopes?: never;
}

interface CommonOptions {
  /** The URL of the service, including the path under which it is mounted, if any. */
  baseUrl: string;
  /** Default: the fetch of the platform. */
  fetch?: typeof globalThis.fetch;
  /** For a whole call, including token, retries and pauses. Default: 30,000. Infinity for no limit. */
  timeoutMs?: number;
  /** The maximum number of retries per call, if the call is safe to retry. Default: 3. */
  maxRetries?: number;
  /** Larger bodies are compressed. Default: 4096. Infinity for no compression. */
  gzipAboveBytes?: number;
}

export interface KeyAccess {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly scopes: ReadonlySet<OperationName>;
}

/** A write key is sent as it is. */
interface WriteAccess {
  readonly writeKey: string;
}

/** The headers that a call with a session's cookie must have. */
interface SessionAccess {
  readonly sessionHeaders: Readonly<Record<string, string>>;
}

export interface Settings {
  readonly baseUrl: string;
  readonly access: KeyAccess | WriteAccess | SessionAccess;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly gzipAboveBytes: number;
}

/** Validates options early. Error messages never contain a value, because one of the values is the secret. */
export function resolveOptions(options: TastegraphOptions): Settings {
  return {
    baseUrl: checkBaseUrl(options.baseUrl),
    access: resolveAccess(options),
    // Called as a method of globalThis: browsers reject a fetch that is detached from its window.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: checkTimeout(options.timeoutMs ?? 30_000),
    maxRetries: checkMaxRetries(options.maxRetries ?? 3),
    // A body below about 4 KB fits in a few packets uncompressed, so compression would only cost time.
    gzipAboveBytes: checkCount('gzipAboveBytes', options.gzipAboveBytes ?? 4096),
  };
}

function resolveAccess(options: TastegraphOptions): Settings['access'] {
  const { session, writeKey } = options;
  // Plain JavaScript may pass more than one.
  const hasKey = 'apiKey' in options || 'apiSecret' in options;
  if ([session !== undefined, writeKey !== undefined, hasKey].filter(Boolean).length > 1)
    throw new TypeError('Pass exactly one of session, writeKey, or apiKey with apiSecret.');
  if (writeKey !== undefined) return { writeKey: checkHeaderValue('writeKey', writeKey) };
  if (session === undefined)
    return {
      apiKey: checkHeaderValue('apiKey', options.apiKey),
      apiSecret: checkText('apiSecret', options.apiSecret),
      scopes: checkScopes(options.scopes),
    };
  return {
    sessionHeaders: {
      'Tastegraph-Csrf': checkHeaderValue('session.csrfToken', session.csrfToken),
      'Tastegraph-Account': checkHeaderValue('session.accountId', session.accountId),
    },
  };
}

export function checkTimeout(timeoutMs: number): number {
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be greater than 0.');
  return timeoutMs;
}

export function checkMaxRetries(maxRetries: number): number {
  return checkCount('maxRetries', maxRetries);
}

/** With an invalid header value, fetch would fail as if the network had. */
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
    throw new TypeError('baseUrl must not contain credentials, a query or a fragment.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function checkText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a non-empty string.`);
  return value;
}

function checkScopes(scopes: KeyOptions['scopes'] = []): ReadonlySet<OperationName> {
  const names = scopes === 'all' ? (Object.keys(endpoints) as OperationName[]) : scopes;
  const unknown = names.find((name) => !Object.hasOwn(endpoints, name));
  if (unknown !== undefined) throw new TypeError(`scopes: unknown operation ${unknown}.`);
  return new Set(names);
}

function checkCount(name: string, value: number): number {
  if (!(value >= 0)) throw new TypeError(`${name} must be at least 0.`);
  return value;
}
