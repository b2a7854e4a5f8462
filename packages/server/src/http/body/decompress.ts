import { once } from 'node:events';
import { createGunzip } from 'node:zlib';
import { limits } from '@tastegraph/contract';
import { createLimiter } from '../../kernel/lib/limiter.ts';
import { ApiError } from '../api-error.ts';
import { ByteCollector } from './byte-collector.ts';
import { type ListField, toListError } from './list-field.ts';
import { ListGuard } from './list-guard.ts';
import { tooLarge } from './read-body.ts';

interface DecompressOptions {
  readonly encoding: string | undefined;
  readonly maxBytes: number;
  /** The body's list, if it has one. Too many elements are detected while decompressing. */
  readonly list: ListField | undefined;
  /** Called with the bytes decompressed so far. Throws to refuse them. */
  readonly reserve: (bytes: number) => void;
  /** At most two bodies of an account are decompressed concurrently. */
  readonly account: string;
}

/**
 * One per thread of Node's pool: more are not faster, and each may grow to the full limit. Two per account leave threads for
 * other accounts.
 */
const limiter = createLimiter({ concurrency: 4, maxPerKey: 2, maxWaiting: Infinity });

/** Returns the body decompressed, if it is compressed. Throws as soon as it exceeds `maxBytes`. */
export async function decompress(raw: Buffer, options: DecompressOptions): Promise<Buffer> {
  switch (options.encoding?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
    case '':
      return raw;
    case 'gzip':
    case 'x-gzip':
      return limiter(() => gunzip(raw, options), { key: options.account });
    default:
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The only supported Content-Encoding is gzip.');
  }
}

/** Bytes decompressed per step. Scanning them takes the event loop half a millisecond. */
const stepBytes = 256 * 1024;

async function gunzip(raw: Buffer, { maxBytes, list, reserve }: DecompressOptions): Promise<Buffer> {
  const chunkSize = Math.min(expectedBytes(raw), stepBytes);
  const guard = list && new ListGuard(list, limits.smallBodyBytes);
  const stream = createGunzip({ chunkSize });
  const collected = new ByteCollector(chunkSize, maxBytes);
  stream.on('data', (chunk: Buffer) => {
    try {
      const bytes = collected.length + chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      reserve(bytes);
      collected.add(chunk);
      // Bodies of one step, such as ordinary batches, need no guard: the parser checks them.
      if (bytes >= stepBytes) guard?.check(collected.toBuffer());
    } catch (error) {
      stream.destroy((list ? toListError(error, list) : error) as Error);
    }
  });
  try {
    stream.end(raw);
    await once(stream, 'end');
    return collected.toBuffer();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const message = 'The body is not valid gzip.';
    throw new ApiError('INVALID_REQUEST', message, { errors: [{ path: '', message }], cause: error });
  } finally {
    stream.destroy();
  }
}

/**
 * The size according to gzip's last four bytes, so that ordinary batches are decompressed in one step. The default steps of
 * 16 KiB would need nine round trips to a thread.
 */
function expectedBytes(raw: Buffer): number {
  const claimed = raw.length >= 4 ? raw.readUInt32LE(raw.length - 4) : 0;
  return Math.max(claimed, 1024);
}
