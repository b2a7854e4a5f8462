import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../kernel/observability/metrics.ts';

/** A scrape is one short GET, so slower senders are disconnected. */
const requestLimitMs = 5000;

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

interface ScrapeParts {
  readonly metrics: Metrics;
  readonly readiness: () => Promise<{ readonly status: 'ready' | 'not ready' }>;
}

/** Serves metrics without credentials on a port that need not be public, and /readyz, for workers, which have no other port. */
export async function listenForScrapes(
  { metrics, readiness }: ScrapeParts,
  { host, port }: { host: string; port: number },
) {
  const routes: Record<string, () => Promise<Answer>> = {
    '/metrics': async () => ({ status: 200, contentType: metrics.contentType, text: await metrics.read() }),
    '/readyz': async () => {
      const readinessState = await readiness();
      const status = readinessState.status === 'ready' ? 200 : 503;
      return { status, contentType: 'application/json', text: JSON.stringify(readinessState) };
    },
  };
  const server = createServer({ requestTimeout: requestLimitMs }, (request, response) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const url = request.url ?? '';
    const respond = Object.hasOwn(routes, url) ? routes[url] : undefined;
    if (!respond) {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET') {
      response.writeHead(405, { Allow: 'GET' }).end();
      return;
    }
    respond().then(
      ({ status, contentType, text }) =>
        response.writeHead(status, { 'Content-Type': contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: boundPort } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${boundPort}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
