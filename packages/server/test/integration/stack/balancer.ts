import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Balancer extends AsyncDisposable {
  readonly baseUrl: string;
  /** Replaces the servers. Like any balancer, it checks /readyz, and tries the next server if it cannot connect. */
  use(baseUrls: readonly string[]): void;
  /** Calls in flight at a server. */
  inFlight(baseUrl: string): number;
}

/** One address for several servers, round-robin. A call that breaks on its way is answered with 502. */
export async function startBalancer(baseUrls: readonly string[]): Promise<Balancer> {
  let servers = baseUrls;
  let turn = 0;
  const ready = new Set(baseUrls);
  const flights = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });

  const forward = (from: IncomingMessage, body: Buffer, to: ServerResponse, untried: readonly string[]) => {
    const [server, ...others] = untried;
    if (server === undefined) {
      to.writeHead(502).end();
      return;
    }
    const count = (by: number) => flights.set(server, (flights.get(server) ?? 0) + by);
    count(1);
    const options = { method: from.method, headers: from.headers, agent };
    const call = request(`${server}${from.url}`, options, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
      answer.on('error', () => to.destroy());
    });
    call.once('close', () => count(-1));
    call.on('error', (error: NodeJS.ErrnoException) => {
      // Nothing of the call has arrived, so another server may have it. This includes a keep-alive connection that was
      // just closed.
      if (error.code === 'ECONNREFUSED' || call.reusedSocket)
        forward(from, body, to, [...others, server].slice(0, others.length));
      else if (to.headersSent) to.destroy();
      else to.writeHead(502).end();
    });
    call.end(body);
  };
  const front = createServer((from, to) => {
    const chunks: Buffer[] = [];
    from.on('data', (chunk: Buffer) => chunks.push(chunk));
    from.on('end', () => {
      const sound = servers.filter((server) => ready.has(server));
      // If no server seems ready, the check itself has probably failed.
      const candidates = sound.length > 0 ? sound : servers;
      const next = turn++ % candidates.length;
      const inTurn = [...candidates.slice(next), ...candidates.slice(0, next)];
      forward(from, Buffer.concat(chunks), to, inTurn);
    });
  });
  // A client must not reuse a connection that is being closed because the machine was busy for a second.
  front.keepAliveTimeout = 120_000;
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const { port } = front.address() as { port: number };

  const stop = new AbortController();
  const looking = (async () => {
    while (!stop.signal.aborted) {
      for (const server of servers) {
        const answer = await fetch(`${server}/readyz`, { signal: AbortSignal.timeout(1000) }).catch(
          () => undefined,
        );
        await answer?.body?.cancel();
        if (answer?.ok) ready.add(server);
        else ready.delete(server);
      }
      await sleep(50);
    }
  })();
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    use: (urls) => {
      servers = urls;
    },
    inFlight: (server) => flights.get(server) ?? 0,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await looking;
      agent.destroy();
      front.closeAllConnections();
      front.close();
    },
  };
}
