import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { beforeEach, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../src/clock.ts';
import { Tastegraph, type TastegraphOptions } from '../src/index.ts';

export const apiKey = 'tg_test_0123456789abcdefghijABCD';
export const apiSecret = 'secret-that-nobody-may-see';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: IncomingMessage['headers'];
  /** As received. */
  readonly raw: Buffer;
  /** Decompressed, as text. */
  readonly body: string;
}

export interface FakeResponse {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent unchanged. */
  body?: object | string;
}

/** A response, `reset` to close the connection, or `hang` to send no response. */
export type Step = FakeResponse | 'reset' | 'hang';
type Script = (received: ReceivedRequest, nth: number) => Step | Promise<Step>;

/** An HTTP server with scripted responses. Tokens are `token-1`, `token-2` and so on. */
export class FakeServer {
  readonly received: ReceivedRequest[] = [];
  baseUrl = '';
  token: Script = (_, nth) => tokenResponse(nth);
  operation: Script = () => ({ body: { ok: true } });
  #server = createServer((message, response) => void this.#answer(message, response));

  static async start(): Promise<FakeServer> {
    const server = new FakeServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    server.baseUrl = `http://127.0.0.1:${(server.#server.address() as AddressInfo).port}`;
    onTestFinished(() => server.stop());
    return server;
  }

  /** Responds with one step per request, and repeats the last one. */
  script(...steps: Step[]): void {
    this.operation = (_, nth) => steps[Math.min(nth, steps.length) - 1] ?? 'reset';
  }

  get tokenRequests(): ReceivedRequest[] {
    return this.received.filter(isTokenRequest);
  }

  get calls(): ReceivedRequest[] {
    return this.received.filter((received) => !isTokenRequest(received));
  }

  /** Closes every connection, even in the middle of a response. */
  closeConnections(): void {
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await receive(message);
    this.received.push(received);
    const isToken = isTokenRequest(received);
    const nth = (isToken ? this.tokenRequests : this.calls).length;
    const step = await (isToken ? this.token : this.operation)(received, nth);
    if (step === 'hang') return;
    if (step === 'reset') {
      message.socket.destroy();
      return;
    }
    const { status = 200, headers = {}, body = {} } = step;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    // With a scripted content-length that is too long, the response stays incomplete.
    if ('content-length' in headers) response.write(text);
    else response.end(text);
  }
}

/** Of the current test, in a file that calls `serverPerTest`. */
export let server: FakeServer;

export function serverPerTest(setUp: (server: FakeServer) => void = () => undefined): void {
  beforeEach(async () => {
    server = await FakeServer.start();
    setUp(server);
  });
}

export const tokenResponse = (nth: number, expiresIn = 3600): FakeResponse => ({
  body: { access_token: `token-${nth}`, token_type: 'Bearer', expires_in: expiresIn, scope: '/any' },
});

export const problem = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
): FakeResponse => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: {
    type: 'about:blank',
    title: code,
    status,
    detail: `detail of ${code}`,
    code,
    errors: [],
    request_id: 'req-1',
  },
});

/** Time advances only when a test sets it or sleeps; sleeping takes no real time. */
export class FakeClock implements Clock {
  time = Date.UTC(2030, 0, 1);
  chance = 0.5;
  readonly pauses: number[] = [];

  now(): number {
    return this.time;
  }

  random(): number {
    return this.chance;
  }

  async sleep(ms: number): Promise<void> {
    this.pauses.push(ms);
    this.time += ms;
  }
}

export function connect(
  server: FakeServer,
  options: Partial<Extract<TastegraphOptions, { apiKey: string }>> = {},
  clock: Clock = systemClock,
) {
  return new Tastegraph({ baseUrl: server.baseUrl, apiKey, apiSecret, ...options }, clock);
}

export const jobRef = { project_id: 'prj_1', job_id: 'job_1' };
export const training = { project_id: 'prj_1', algorithm_id: 'alg_1', name: 'nightly' };

const isTokenRequest = ({ path }: ReceivedRequest) => path.endsWith('/oauth/token');

async function receive(message: IncomingMessage): Promise<ReceivedRequest> {
  const raw = await buffer(message);
  const url = new URL(message.url ?? '/', 'http://server');
  const zipped = message.headers['content-encoding'] === 'gzip';
  return {
    method: message.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: message.headers,
    raw,
    body: (zipped ? gunzipSync(raw) : raw).toString('utf8'),
  };
}
