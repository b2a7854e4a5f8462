import { createClient } from 'redis';

export type Redis = ReturnType<typeof openRedis>;

/**
 * Connects in the background and stays at it: Redis being away is a state to work in, not a reason to stop.
 * Commands fail at once while it is away instead of queueing up.
 */
export function openRedis(url: string, onError: (error: Error) => void) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // Who asks bounds the wait himself (circuit.ts). The client's own way keeps a timer for each command for seconds after
    // its answer, which took 4 % of a serving process.
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
