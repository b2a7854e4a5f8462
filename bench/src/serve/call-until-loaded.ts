import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './load.ts';
import { RawClient } from './raw-client.ts';

const loadTimeoutMs = 30_000;

/** Repeats the call while it returns 503: loading a large model takes longer than the deadline of one call. */
export async function callUntilLoaded({ port, request }: Target): Promise<string> {
  const client = await RawClient.open(port);
  try {
    for (const end = performance.now() + loadTimeoutMs; ; ) {
      const { body, status } = await client.call(request(0));
      if (status === 200) return body;
      if (status !== 503 || performance.now() > end) throw new Error(body);
      await sleep(100);
    }
  } finally {
    client.close();
  }
}
