import { endpoints, type OperationName } from '@tastegraph/contract/endpoints';
import { abortable } from './deadline.ts';
import { ConnectionError } from './errors.ts';
import { canGzip, gzip } from './gzip.ts';
import type { Action } from './idempotency.ts';
import type { Settings } from './options.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  readonly credentials?: 'same-origin';
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Encodes a request once per call; retries send the same body. */
export async function encodeRequest(
  operation: OperationName,
  request: object,
  settings: Settings,
): Promise<HttpRequest> {
  const [method, path] = endpoints[operation];
  if (method !== 'GET') return encodeJson(operation, JSON.stringify(request), settings);
  return { method, url: settings.baseUrl + path + queryString(request), headers: acceptHeaders };
}

/** Encodes a request that is already JSON. */
export async function encodeJson(
  operation: OperationName,
  json: string,
  { baseUrl, gzipAboveBytes }: Settings,
): Promise<HttpRequest> {
  const [method, path] = endpoints[operation];
  const plain = new TextEncoder().encode(json);
  const isZipped = plain.byteLength > gzipAboveBytes && canGzip;
  const headers = {
    ...acceptHeaders,
    'Content-Type': 'application/json',
    ...(isZipped && { 'Content-Encoding': 'gzip' }),
  };
  return { method, url: baseUrl + path, headers, body: isZipped ? await gzip(plain) : plain };
}

const acceptHeaders = { Accept: 'application/json' };

function queryString(request: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request))
    if (value !== undefined && value !== null) query.set(name, String(value));
  return query.size > 0 ? `?${query.toString()}` : '';
}

/** Sends one request and reads the whole response, whatever its status. */
export async function sendRequest(
  action: Action,
  request: HttpRequest,
  fetch: Settings['fetch'],
  signal: AbortSignal,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  try {
    const { url, ...init } = request;
    // Redirects are never followed: they could send the key or the secret to another host.
    const response = await abortable(fetch(url, { ...init, redirect: 'manual', signal }), signal);
    const text = await abortable(response.text(), signal);
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    signal.throwIfAborted();
    throw new ConnectionError(action, new URL(request.url).origin, error);
  }
}
