import { endpoints, type OperationName } from '@tastegraph/contract/endpoints';
import { abortable } from './deadline.ts';
import { ConnectionError } from './errors.ts';
import { canGzip, gzip } from './gzip.ts';
import type { Settings } from './options.ts';
import { type Action, adviceOnRepeating } from './repeatable.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Done once for a call, whatever the number of its attempts. */
export async function encode(
  operation: OperationName,
  request: object,
  settings: Settings,
): Promise<HttpRequest> {
  const [method, path] = endpoints[operation];
  if (method !== 'GET') return encodeJson(operation, JSON.stringify(request), settings);
  return { method, url: settings.baseUrl + path + queryString(request), headers: accepted };
}

/** A request that is JSON already. */
export async function encodeJson(
  operation: OperationName,
  json: string,
  { baseUrl, gzipAboveBytes }: Settings,
): Promise<HttpRequest> {
  const [method, path] = endpoints[operation];
  const plain = new TextEncoder().encode(json);
  const isZipped = plain.byteLength > gzipAboveBytes && canGzip;
  const headers = {
    ...accepted,
    'Content-Type': 'application/json',
    ...(isZipped && { 'Content-Encoding': 'gzip' }),
  };
  return { method, url: baseUrl + path, headers, body: isZipped ? await gzip(plain) : plain };
}

const accepted = { Accept: 'application/json' };

function queryString(request: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request))
    if (value !== undefined && value !== null) query.set(name, String(value));
  return query.size > 0 ? `?${query.toString()}` : '';
}

/** One request and its whole answer, whatever its status. */
export async function exchange(
  action: Action,
  request: HttpRequest,
  fetch: Settings['fetch'],
  signal: AbortSignal,
): Promise<HttpAnswer> {
  signal.throwIfAborted();
  try {
    const { url, ...init } = request;
    // A redirect is never followed: it would carry the key, or the secret, to an address nobody configured.
    const response = await abortable(fetch(url, { ...init, redirect: 'manual', signal }), signal);
    const text = await abortable(response.text(), signal);
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    signal.throwIfAborted();
    throw new ConnectionError(
      action,
      `no answer from ${new URL(request.url).origin}${reason(error)}. Check baseUrl and the network. ${adviceOnRepeating(action)}`,
      { cause: error },
    );
  }
}

/** Where the platform says more than "fetch failed", it says it in the cause. */
function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}
