import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below 32768, where Linux (and above it macOS) takes the ports of outgoing connections: a service that was killed finds
 * its port still free when it starts again, whatever else connects in the meantime.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A port of 127.0.0.1 that nobody listens on now. Someone may be faster: who asks must be ready to ask again. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port found from ${LOWEST} to ${HIGHEST}. See who listens with: ss -ltnp`);
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
