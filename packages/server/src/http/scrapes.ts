import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../observability/metrics.ts';

/** A scrape is one short GET; whoever takes longer to send it holds a connection for nothing. */
const requestLimitMs = 5000;

export interface ScrapeListener extends AsyncDisposable {
  readonly address: string;
}

/**
 * Serves metrics on a port of their own, without credentials: the API's port may be open to the world, and this one need
 * not be. There is nothing here but GET /metrics.
 */
export async function listenForScrapes(
  metrics: Metrics,
  { host, port }: { host: string; port: number },
): Promise<ScrapeListener> {
  const server = createServer({ requestTimeout: requestLimitMs }, (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.read().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: taken } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
