import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { limits } from '@tastegraph/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** `stallMs`: the longest pause between two chunks. The times are nginx's `lingering_time` and `lingering_timeout`. */
const drainLimits = { maxBytes: 4 * limits.bodyBytes, maxMs: 30_000, stallMs: 5000 };

/**
 * Discards the rest of a body whose request is answered before it is complete, such as a body that is too large. If the
 * connection were closed at once, the client's next write would fail before the client has read the response.
 */
export function drainUnreadBodies(app: FastifyInstance, stopping: AbortSignal): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isSendingBody(request) || typeof payload !== 'string') return payload;
    // A body that came in one packet with its headers is complete by then.
    await setImmediate();
    if (!isSendingBody(request) || stopping.aborted) return payload;
    request.bodyReservation?.release();
    void reply.header('Connection', 'close').header('Content-Length', Buffer.byteLength(payload));
    // The client has the whole response by its length. Node closes the connection when the stream ends.
    return Readable.from(sendAndDrain(payload, request.raw), { objectMode: false });
  });
}

function isSendingBody({ raw: { complete, destroyed, headers } }: FastifyRequest): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody && !complete && !destroyed;
}

async function* sendAndDrain(payload: string, body: Readable): AsyncGenerator<string> {
  yield payload;
  await drain(body, drainLimits);
}

/** Discards the stream until it ends, or one of the limits is reached. */
export async function drain(body: Readable, { maxBytes, maxMs, stallMs }: typeof drainLimits): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const settle = () => {
      clearTimeout(total);
      clearTimeout(stall);
      body.off('data', discard);
      body.off('end', settle);
      body.off('close', settle);
      resolve();
    };
    const total = setTimeout(settle, maxMs);
    const stall = setTimeout(settle, stallMs);
    const discard = (chunk: Buffer) => {
      stall.refresh();
      bytes += chunk.length;
      if (bytes > maxBytes) settle();
    };
    body.on('data', discard);
    body.on('end', settle);
    body.on('close', settle);
    body.resume();
  });
}
