import { hash } from 'node:crypto';
import { downloadsPath } from '@tastegraph/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import type { HttpPart } from '../http/part.ts';
import { isAbsent } from '../kernel/objects/error.ts';
import type { ByteRange } from '../kernel/objects/store.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { Services } from '../services.ts';
import { type Downloads, holderOf, openDownloads, verifyDownload } from './downloads.ts';
import { listResultHolders } from './rows/results.ts';

/** Serves the files of results, in processes of the API. */
export async function http({ role, config, db, store, stopping }: Services): Promise<HttpPart> {
  if (role === 'serving') return {};
  const downloads = await openDownloads(db, store, config.baseUrl);
  return { surface: (app) => serveDownloads(app, downloads, createIsHolder(db), stopping) };
}

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

/** A presigned URL of the store cannot be revoked, so it is valid only long enough to follow the redirect. */
const redirectSeconds = 300;

async function sendDownload(
  { store, secret }: Downloads,
  isHolder: IsHolder,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  const download = verifyDownload(partsOf(request), secret);
  if (!download || !(await isHolder(download.key, download.holder))) throw downloadNotFound();
  const { key, fileName, contentType, contentDisposition } = download;
  // A page of this host may not load files from another one.
  const canRedirect = (request.query as Record<string, unknown>)['redirect'] !== 'false';
  if (store.presign && canRedirect) {
    const location = await store.presign(key, { method, seconds: redirectSeconds, fileName, contentType });
    // A cached redirect could lead to an expired URL, or still work for a revoked key.
    return reply.header('Cache-Control', 'private, no-store').redirect(location, 307);
  }
  const size = await store.size(key).catch(throwNotFoundIfAbsent);
  // Identifies the content: the object of a key is written only once.
  const etag = `"${hash('sha256', key, 'base64url')}"`;
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
  const { bytes } = await store.read(key, { range }).catch(throwNotFoundIfAbsent);
  return reply.send(bytes);
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

/** Whether the API key or the person behind `holder` may still download the object. */
type IsHolder = (objectKey: string, holder: string) => Promise<boolean>;

/** True if the object belongs to a job's result, and its account has the API key, which is not revoked, or the person. */
const createIsHolder =
  (db: Queryable): IsHolder =>
  async (objectKey, holder) => {
    const [, jobId = ''] = objectKey.split('/');
    const holders = await listResultHolders(db, jobId, objectKey);
    return holders.some((callerId) => holderOf(callerId) === holder);
  };

function throwNotFoundIfAbsent(error: unknown): never {
  throw isAbsent(error) ? downloadNotFound() : error;
}

/**
 * The same error whether the URL was changed or has expired, the job or object is gone, or the API key was revoked or the person removed, so
 * that it reveals nothing to callers who may not have the file.
 */
function downloadNotFound(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'The download does not exist or its URL has expired. Call /get-job to get a new URL.',
  );
}

/**
 * RFC 9110, section 14.2. Undefined means to send the whole file: the header is malformed or has several ranges, which a
 * server need not support. `beyond` means that the range is outside the file.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'beyond' | undefined {
  // Fifteen digits are enough for any file, and exact as a number.
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const last = to === '' || from === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from === '')
    return Number(to) === 0 || size === 0 ? 'beyond' : { first: Math.max(0, size - Number(to)), last };
  const first = Number(from);
  if (to !== '' && Number(to) < first) return undefined;
  return first >= size ? 'beyond' : { first, last };
}
