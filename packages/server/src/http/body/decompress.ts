import { once } from 'node:events';
import { createGunzip } from 'node:zlib';
import { limits } from '@tastegraph/contract';
import { createLimiter } from '../../kernel/lib/limiter.ts';
import { ApiError } from '../api-error.ts';
import { envelopeTooLarge, invalidBody, type ListField, tooManyElements } from './body-rules.ts';
import { ElementScanner } from './element-scanner.ts';
import { openArray } from './json-bytes.ts';
import { CompactText, MemberScanner } from './member-scanner.ts';
import { ByteCollector } from './read-body.ts';

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

/** One per thread of Node's pool: more are not faster, and each may be large. Two per account leave threads for others. */
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
  const collected = new ByteCollector(chunkSize, maxBytes, reserve);
  stream.on('data', (chunk: Buffer) => {
    try {
      collected.add(chunk);
      // Bodies of one step, such as ordinary batches, need no guard: the parser checks them.
      if (collected.length >= stepBytes) guard?.check(collected.toBuffer());
    } catch (error) {
      stream.destroy(error as Error);
    }
  });
  try {
    stream.end(raw);
    await once(stream, 'end');
    return collected.toBuffer();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalidBody('The body is not valid gzip.', error);
  } finally {
    stream.destroy();
  }
}

/** By gzip's last four bytes: ordinary batches are decompressed in one step instead of nine round trips to a thread. */
function expectedBytes(raw: Buffer): number {
  const claimed = raw.length >= 4 ? raw.readUInt32LE(raw.length - 4) : 0;
  return Math.max(claimed, 1024);
}

/** A few kilobytes of gzip may become 32 MiB: refuses too many records, or too much outside them, while it is decompressed. */
export class ListGuard {
  readonly #list: ListField;
  readonly #members: MemberScanner;
  #elements: ElementScanner | undefined;
  #count = 0;

  constructor(list: ListField, envelopeBytes: number) {
    this.#list = list;
    const text = new CompactText(envelopeBytes, () => envelopeTooLarge(list));
    this.#members = new MemberScanner(Buffer.alloc(0), { stepBytes: Infinity, name: list.name, text });
  }

  /** `body` is everything received so far. Scans the bytes added since the last call, at 2 ms per MB. */
  check(body: Buffer): void {
    this.#members.extend(body);
    this.#elements?.extend(body);
    while (this.#elements ? this.#scanElements(this.#elements) : this.#scanMembers(body));
  }

  /** Returns false when there is nothing more to scan. */
  #scanMembers(body: Buffer): boolean {
    if (this.#members.step() === 'end') return false;
    const { position } = this.#members;
    if (body[position] !== openArray) return true;
    this.#count = 0;
    this.#elements = new ElementScanner(body, position + 1, Infinity);
    return true;
  }

  #scanElements(elements: ElementScanner): boolean {
    const step = elements.step();
    if (step === 'incomplete') return false;
    if (step === 'closed') {
      this.#members.skipTo(elements.position);
      this.#elements = undefined;
    } else if (++this.#count > this.#list.maxElements) throw tooManyElements(this.#list);
    return true;
  }
}
