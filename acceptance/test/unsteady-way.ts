import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What may happen to a request on its way. */
export type Mishap =
  /** The connection is cut before any of it has arrived. */
  | 'cut before'
  /** Half of it arrives. */
  | 'cut in the middle'
  /** The service carries it out, and its answer is lost. */
  | 'cut before the answer'
  | 'cut in the answer'
  | 'late'
  /** It arrives twice. */
  | 'twice'
  /** Something on the way answers 503, with Retry-After. */
  | 'unavailable';

export interface UnsteadyWay extends AsyncDisposable {
  readonly baseUrl: string;
  /** How often each mishap came. */
  readonly mishaps: Map<Mishap, number>;
  /** Requests that came by, those with mishaps too. */
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

/** A way to the service by TCP on which a share of the requests meets one of the mishaps, by a seeded chance. */
export async function openUnsteadyWay(
  baseUrl: string,
  mishaps: readonly Mishap[],
  share: number,
): Promise<UnsteadyWay> {
  const target = new URL(baseUrl);
  const open = new Set<Socket>();
  const chance = seeded(7);
  const way = { requests: 0, mishaps: new Map<Mishap, number>() };
  const drawMishap = (): Mishap | undefined => {
    way.requests += 1;
    if (mishaps.length === 0 || chance() >= share) return undefined;
    const mishap = mishaps[Math.floor(chance() * mishaps.length)];
    if (mishap) way.mishaps.set(mishap, (way.mishaps.get(mishap) ?? 0) + 1);
    return mishap;
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
    let mishap: Mishap | undefined;
    let twin: Socket | undefined;
    from.on('data', (chunk: Buffer) => {
      // Requests are not pipelined: the line that begins one begins a chunk.
      if (/^[A-Z]+ \/\S* HTTP\/1\.1\r\n/.test(chunk.toString('latin1', 0, 200))) {
        mishap = drawMishap();
        twin = undefined;
        if (mishap === 'twice') {
          twin = toService();
          keep(twin, () => undefined);
          twin.resume();
        }
      }
      switch (mishap) {
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
        case 'cut before the answer':
        case 'cut in the answer':
        case undefined:
          twin?.write(chunk);
          to.write(chunk);
      }
    });
    to.on('data', (chunk: Buffer) => {
      if (mishap === 'cut before the answer') from.resetAndDestroy();
      else if (mishap === 'cut in the answer')
        from.write(chunk.subarray(0, chunk.length / 2), () => from.resetAndDestroy());
      else from.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return Object.assign(way, {
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
