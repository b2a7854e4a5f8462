import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface ConsoleFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
  /** Compressed when it is first asked for. */
  gzipped?: Promise<Buffer>;
}

/** The console as it was built: its page, and its other files by path. */
export interface ConsolePages {
  readonly page: string;
  readonly files: ReadonlyMap<string, ConsoleFile>;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads a build of packages/console, a few megabytes, into memory. Undefined if the folder does not exist. */
export async function loadConsolePages(folder: string): Promise<ConsolePages | undefined> {
  let names: string[];
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    names = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const files = new Map<string, ConsoleFile>();
  let page: string | undefined;
  for (const name of names) {
    const bytes = await readFile(name);
    const path = `/${relative(folder, name).replaceAll(sep, '/')}`;
    const type = types[extname(name)];
    if (path === pagePath) page = bytes.toString('utf8');
    else if (type !== undefined)
      files.set(path, { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` });
  }
  return page === undefined ? undefined : { page, files };
}

const pagePath = '/index.html';

const signInRoute = '/sign-in';

/** The addresses that the console's router knows. Every other unknown path is an error of the API. */
const pageRoutes = ['/', signInRoute, '/accounts/*'];

/** Serves the console from memory, at the same origin as the API. */
export function serveConsolePages(app: FastifyInstance, { page, files }: ConsolePages): void {
  for (const url of pageRoutes)
    app.get(url, async (_request, reply) => {
      const nonce = randomBytes(16).toString('base64');
      return (
        reply
          .type('text/html; charset=utf-8')
          .header('Content-Security-Policy', policyOf(nonce))
          // A new build has other file names: the page is never taken from a cache unasked.
          .header('Cache-Control', 'no-store')
          .headers(url === signInRoute ? {} : sessionPreload)
          .send(page.replaceAll(noncePlaceholder, nonce))
      );
    });
  for (const [path, file] of files)
    app.get(path, async (request, reply) => {
      // Vite puts a hash of the content into the names below /assets.
      const isHashed = path.startsWith('/assets/');
      void reply.header('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      return sendFile(file, request, reply);
    });
}

/**
 * Who is signed in is asked for before any script has loaded. Not where people sign in: the answer would be that of the time before.
 */
const sessionPreload = { Link: '</console/session>; rel=preload; as=fetch; crossorigin' };

const noncePlaceholder = '__CSP_NONCE__';

/** Scripts only from our own files. CodeMirror and Radix create styles, which need the nonce. Pictures of items may be anywhere. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' https:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const compress = promisify(gzip);

async function sendFile(
  file: ConsoleFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  void reply.header('ETag', file.etag).header('Vary', 'Accept-Encoding');
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  void reply.type(file.type);
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(file.bytes);
  file.gzipped ??= compress(file.bytes, { level: 9 });
  return reply.header('Content-Encoding', 'gzip').send(await file.gzipped);
}
