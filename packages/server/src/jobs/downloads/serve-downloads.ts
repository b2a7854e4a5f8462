import { downloadsPath } from '@tastegraph/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../http/api-error.ts';
import { parseRange } from '../../http/byte-range.ts';
import type { Downloads } from './downloads.ts';
import { findDownload, type IsHolder } from './find-download.ts';

/** A client that reads nothing for this long is disconnected: it holds a file and a connection. */
const idleMs = 60_000;

/**
 * Serves the files of results. The signed URL authorizes the download, so no token is needed. Files of a folder are streamed;
 * if the store can presign URLs, the caller is redirected to it, unless the URL says `redirect=false`.
 */
export function serveDownloads(
  app: FastifyInstance,
  downloads: Downloads,
  isHolder: IsHolder,
  stopping: AbortSignal,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `${downloadsPath}/*`,
    handler: async (request, reply) => {
      // A download that ends while the process is stopping would keep its connection, and so the process, alive. `Connection: close` on
      // every download is no way out: if the connection ends before the caller has read the response, `fetch` of many versions of Node 24
      // ends the caller's process (issue 5360 of undici).
      reply.raw.once('finish', () => {
        if (stopping.aborted) request.raw.socket.end();
      });
      return sendDownload(downloads, isHolder, request, reply);
    },
  });
}

async function sendDownload(
  downloads: Downloads,
  isHolder: IsHolder,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  // A page of this host may not load files from another one.
  const canRedirect = (request.query as Record<string, unknown>)['redirect'] !== 'false';
  const found = await findDownload(downloads, isHolder, partsOf(request), { method, canRedirect });
  if (found.location !== undefined) {
    // A cached redirect could lead to an expired URL, or still work for a revoked key.
    return reply.header('Cache-Control', 'private, no-store').redirect(found.location, 307);
  }
  const { size, contentType, contentDisposition, tag } = found;
  const etag = `"${tag}"`;
  void reply.headers({
    ETag: etag,
    'Accept-Ranges': 'bytes',
    // Only for the caller's own cache, not for shared caches.
    'Cache-Control': 'private',
    'X-Content-Type-Options': 'nosniff',
  });
  const { headers } = request;
  if (headers['if-none-match'] === etag) return reply.code(304).send();
  // If the file differs from what the caller has in part (If-Range), the whole file is sent.
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  const range = isSame ? parseRange(headers.range, size) : undefined;
  if (range === 'beyond') {
    void reply.header('Content-Range', `bytes */${size}`);
    throw new ApiError(
      'RANGE_NOT_SATISFIABLE',
      `The requested range is outside the file, which has ${size} bytes. Request bytes below that, or leave out Range.`,
    );
  }
  if (range) void reply.code(206).header('Content-Range', `bytes ${range.first}-${range.last}/${size}`);
  void reply.headers({
    'Content-Type': contentType,
    'Content-Disposition': contentDisposition,
    'Content-Length': range ? range.last - range.first + 1 : size,
    // Charts are SVG, which may contain scripts. Opened directly, they run none and load nothing.
    'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
  });
  if (method === 'HEAD') return reply.send();
  reply.raw.setTimeout(idleMs, () => reply.raw.destroy());
  return reply.send(await found.read(range));
}

/** A missing or repeated parameter becomes '', whose signature never verifies. */
function partsOf(request: FastifyRequest) {
  const query = request.query as Record<string, unknown>;
  const part = (name: string) => (typeof query[name] === 'string' ? query[name] : '');
  return {
    key: (request.params as { '*': string })['*'],
    expires: part('expires'),
    name: part('name'),
    type: part('type'),
    holder: part('holder'),
    signature: part('signature'),
  };
}
