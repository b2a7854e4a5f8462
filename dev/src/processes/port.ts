import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral ports of Linux (32768), so that no outgoing connection takes the port of a service while it restarts. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Finds a free port on 127.0.0.1. Another process may take it first, so callers must be ready to retry. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isPortFree(port)) return port;
  }
  throw new Error(
    `No port from ${LOWEST} to ${HIGHEST} is free. To see which processes use them, run: ss -ltnp`,
  );
}

export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
