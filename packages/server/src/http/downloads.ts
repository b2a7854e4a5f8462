import { downloadsPath } from '@tastegraph/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Downloads, findDownload } from '../domain/download/find-download.ts';
import { Fault } from '../domain/fault.ts';
import { parseRange } from './byte-range.ts';

/** A reader that takes nothing for so long has gone, or holds a file and a connection for nothing. */
const idleMs = 60_000;

/** Results that lie in a folder of ours. The address is the proof: it needs no token, and holds for its time alone. */
export function serveDownloads(app: FastifyInstance, downloads: Downloads): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `${downloadsPath}/*`,
    handler: async (request, reply) => answer(downloads, request, reply),
  });
}

async function answer(
  downloads: Downloads,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const found = await findDownload(downloads, partsOf(request));
  const { size, contentType, contentDisposition, tag } = found;
  const etag = `"${tag}"`;
  void reply.headers({
    ETag: etag,
    'Accept-Ranges': 'bytes',
    // For whoever has the address, and for nobody between.
    'Cache-Control': 'private',
    'X-Content-Type-Options': 'nosniff',
  });
  const { headers, method } = request;
  if (headers['if-none-match'] === etag) return reply.code(304).send();
  // A part of something else than the caller has the rest of is of no use: then all of it comes.
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  const range = isSame ? parseRange(headers.range, size) : undefined;
  if (range === 'beyond') {
    void reply.header('Content-Range', `bytes */${size}`);
    throw new Fault('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes, and none in the range asked for.`);
  }
  if (range) void reply.code(206).header('Content-Range', `bytes ${range.first}-${range.last}/${size}`);
  void reply.headers({
    'Content-Type': contentType,
    'Content-Disposition': contentDisposition,
    'Content-Length': range ? range.last - range.first + 1 : size,
    // A chart is SVG, which could hold scripts: opened by itself it runs none, and loads nothing.
    'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
  });
  if (method === 'HEAD') return reply.send();
  // One that ends while the process stops would else be kept for the caller's next request, and keep the process.
  void reply.header('Connection', 'close');
  reply.raw.setTimeout(idleMs, () => reply.raw.destroy());
  return reply.send(await found.read(range));
}

/** What is missing or twice is as good as wrong. */
function partsOf(request: FastifyRequest) {
  const query = request.query as Record<string, unknown>;
  const part = (name: string) => (typeof query[name] === 'string' ? query[name] : '');
  return {
    key: (request.params as { '*': string })['*'],
    ...{ expires: part('expires'), name: part('name'), type: part('type'), signature: part('signature') },
  };
}
