import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A fault that the proxy injects into a request. */
export type NetworkFault =
  /** The connection is cut before the request reaches the service. */
  | 'cut before'
  /** Half of the request reaches the service. */
  | 'cut in the middle'
  /** The service handles the request, and its response is lost. */
  | 'cut before the response'
  | 'cut in the response'
  | 'late'
  /** The request reaches the service twice. */
  | 'twice'
  /** The proxy itself returns 503 with Retry-After. */
  | 'unavailable';

export interface FaultyProxy extends AsyncDisposable {
  readonly baseUrl: string;
  /** How often each fault was injected. */
  readonly faults: Map<NetworkFault, number>;
  /** The number of requests so far, with and without faults. */
  requests: number;
}

const unavailable = [
  'HTTP/1.1 503 Service Unavailable',
  'Retry-After: 1',
  'Content-Type: text/plain',
  'Content-Length: 5',
  'Connection: close',
  '',
  'later',
].join('\r\n');

const lateMs = 300;

/** A TCP proxy to the service that injects faults into a share of the requests, chosen by a seeded random generator. */
export async function startFaultyProxy(
  baseUrl: string,
  faults: readonly NetworkFault[],
  share: number,
): Promise<FaultyProxy> {
  const target = new URL(baseUrl);
  const open = new Set<Socket>();
  const random = seeded(7);
  const proxy = { requests: 0, faults: new Map<NetworkFault, number>() };
  const drawFault = (): NetworkFault | undefined => {
    proxy.requests += 1;
    if (faults.length === 0 || random() >= share) return undefined;
    const fault = faults[Math.floor(random() * faults.length)];
    if (fault) proxy.faults.set(fault, (proxy.faults.get(fault) ?? 0) + 1);
    return fault;
  };
  const keep = (socket: Socket, other: () => Socket | undefined) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      other()?.destroy();
    });
  };
  const toService = () => connect(Number(target.port), target.hostname);
  const server = createServer((from) => {
    const to = toService();
    keep(from, () => to);
    keep(to, () => from);
    let fault: NetworkFault | undefined;
    let duplicate: Socket | undefined;
    from.on('data', (chunk: Buffer) => {
      // Requests are not pipelined, so the first line of a request is at the start of a chunk.
      if (/^[A-Z]+ \/\S* HTTP\/1\.1\r\n/.test(chunk.toString('latin1', 0, 200))) {
        fault = drawFault();
        duplicate = undefined;
        if (fault === 'twice') {
          duplicate = toService();
          keep(duplicate, () => undefined);
          duplicate.resume();
        }
      }
      switch (fault) {
        case 'cut before':
          from.resetAndDestroy();
          return;
        case 'cut in the middle':
          to.write(chunk.subarray(0, chunk.length / 2), () => from.resetAndDestroy());
          return;
        case 'unavailable':
          from.end(unavailable);
          return;
        case 'late':
          setTimeout(() => to.writable && to.write(chunk), lateMs);
          return;
        case 'twice':
        case 'cut before the response':
        case 'cut in the response':
        case undefined:
          duplicate?.write(chunk);
          to.write(chunk);
      }
    });
    to.on('data', (chunk: Buffer) => {
      if (fault === 'cut before the response') from.resetAndDestroy();
      else if (fault === 'cut in the response')
        from.write(chunk.subarray(0, chunk.length / 2), () => from.resetAndDestroy());
      else from.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return Object.assign(proxy, {
    baseUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
