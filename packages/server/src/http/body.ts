import { isUtf8 } from 'node:buffer';
import { pipeline, Transform } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip as gunzipCallback, type ZlibOptions } from 'node:zlib';
import { limits } from '@tastegraph/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../domain/fault.ts';
import { parseJson } from '../lib/json.ts';
import { createTurns } from '../lib/turns.ts';
import { holdsMoreParts } from './json-parts.ts';

const gunzip = promisify<Buffer, ZlibOptions, Buffer>(gunzipCallback);

/**
 * Bytes of bodies, decompressed, that may be in work at once in a process: enough for a hundred full batches of
 * ordinary records, and a bound on what bombs and giants can take together.
 */
const bytesInWork = 8 * limits.bodyBytes;
/** What arrives is counted from here on: a call for recommendations must not be refused because of others' giants. */
const smallBytes = 64 * 1024;

/** As many as there are threads to decompress: more at once are no faster, and each may grow to the whole limit. */
const inTurn = createTurns(4);

declare module 'fastify' {
  interface FastifyRequest {
    /** Size of the body, decompressed; before that, what is set aside for it. */
    bodyBytes: number;
  }
}

/** Bodies are JSON in UTF-8, plain or gzip. What is too large is refused while it is being read or decompressed. */
export function acceptJson(app: FastifyInstance): void {
  let inWork = 0;
  /** Answered, or left by their callers: what still arrives of them is counted no more. */
  const over = new WeakSet<FastifyRequest>();

  app.decorateRequest('bodyBytes', 0);
  app.addHook('onRequest', async (request, reply) => {
    // Comes once for every request; onResponse does not come when the caller has gone meanwhile.
    reply.raw.once('close', () => {
      inWork -= request.bodyBytes;
      over.add(request);
    });
  });
  const hold = (request: FastifyRequest, bytes: number) => {
    if (over.has(request)) throw badBody('The caller has gone.');
    if (inWork - request.bodyBytes + bytes > bytesInWork)
      throw new Fault('UNAVAILABLE', 'The server is busy with other large requests.', {
        retryAfterSeconds: 1,
      });
    inWork += bytes - request.bodyBytes;
    request.bodyBytes = bytes;
  };
  // Before it is read: many that never end would fill the memory.
  app.addHook('preParsing', async (request, _reply, payload) => {
    const { 'content-length': told, 'transfer-encoding': coding } = request.headers;
    if (coding !== undefined) return countArriving(payload, (bytes) => hold(request, bytes));
    // Without either there is no body.
    if (told === undefined) return payload;
    const bytes = Math.min(Number(told), limits.bodyBytes);
    if (bytes > smallBytes) hold(request, bytes);
    return payload;
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: limits.bodyBytes },
    async (request: FastifyRequest, raw: Buffer) => {
      const body = await decompress(request.headers['content-encoding'], raw, limits.bodyBytes);
      hold(request, body.length);
      return parse(body);
    },
  );
}

/** For a body whose length nobody told. */
function countArriving(payload: NodeJS.ReadableStream, hold: (bytes: number) => void): Transform {
  let arrived = 0;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      arrived += chunk.length;
      try {
        if (arrived > smallBytes) hold(Math.min(arrived, limits.bodyBytes));
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  return pipeline(payload, counting, () => undefined);
}

/** The body without its gzip, if it has one, at most `mostBytes` of it. */
export async function decompress(
  encoding: string | undefined,
  raw: Buffer,
  mostBytes: number,
): Promise<Buffer> {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
    case '':
      return raw;
    case 'gzip':
    case 'x-gzip':
      break;
    default:
      throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'The only Content-Encoding taken is gzip.');
  }
  try {
    const options = { maxOutputLength: mostBytes, chunkSize: Math.min(chunkSize(raw), mostBytes) };
    return await inTurn(() => gunzip(raw, options));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Fault('BODY_TOO_LARGE', `The body is larger than ${mostBytes} bytes when decompressed.`);
    }
    throw badBody('The body is not sound gzip.', error);
  }
}

/**
 * Decompressed in one go where the size that gzip's last four bytes claim is small enough to believe: the default
 * steps of 16 KiB would be nine trips to a thread and back for an ordinary batch.
 */
function chunkSize(raw: Buffer): number {
  const claimed = raw.length >= 4 ? raw.readUInt32LE(raw.length - 4) : 0;
  return Math.min(Math.max(claimed, 1024), 1024 * 1024);
}

function parse(body: Buffer): unknown {
  if (body.length === 0) throw badBody('The body is empty; send a JSON object.');
  if (!isUtf8(body)) throw badBody('The body is not UTF-8.');
  if (holdsMoreParts(body, limits.bodyParts)) {
    throw new Fault(
      'BODY_TOO_LARGE',
      `The body holds more than ${limits.bodyParts} objects, arrays and keys.`,
    );
  }
  try {
    return parseJson(body.toString());
  } catch (error) {
    // The parser's message quotes the body, which may hold anything: only where it stopped is passed on.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw badBody(`The body is not JSON${position === undefined ? '' : ` (at byte ${position})`}.`);
  }
}

function badBody(message: string, cause?: unknown): Fault {
  return new Fault('INVALID_REQUEST', message, { errors: [{ path: '', message }], cause });
}
