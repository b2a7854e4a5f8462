import { createClient } from 'redis';

export type Redis = ReturnType<typeof openRedis>;

/** Connects in the background and keeps trying: the server works without Redis. While it is down, commands fail at once. */
export function openRedis(url: string, onError: (error: Error) => void) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // Callers bound the wait (circuit-breaker.ts). The client's own timeout keeps a timer for seconds after each
    // response, which took 4 % of a serving process.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: 2000,
      reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, 3000),
    },
  });
  client.on('error', onError);
  client.connect().catch(onError);
  return client;
}
