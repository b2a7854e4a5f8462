import { locateUserIds, snapshotHeadBytes } from '@tastegraph/algorithms';
import { fileTypes } from '../kernel/files/table.ts';
import { isAbsent } from '../kernel/objects/error.ts';
import type { Services } from '../services.ts';
import type { ErasedResult, ErasedSnapshot } from './rows.ts';

type ReadContext = Pick<Services, 'store' | 'stopping'>;

type Span = { readonly from: number; readonly length: number };

/** Whether the snapshot contains the user. Reads only its header and the user IDs. */
export async function snapshotContains(
  context: ReadContext,
  { object_key, size }: ErasedSnapshot,
  userId: string,
): Promise<boolean> {
  return unlessAbsent(async () => {
    const head = { from: 0, length: Math.min(size, snapshotHeadBytes) };
    const spans = locateUserIds(await readSpan(context, object_key, head), size);
    if (spans.bytes.length === 0) return false;
    const { buffer, byteOffset, byteLength } = await readSpan(context, object_key, spans.ends);
    const ends = new Uint32Array(buffer, byteOffset, byteLength / 4);
    const id = Buffer.from(userId);
    const bytes = await chunksOf(context, object_key, spans.bytes);
    // A match inside another ID, or across two of them, is not the user.
    return includes(bytes, id, (at) => {
      const user = lowerBound(ends, at + id.length);
      return ends[user] === at + id.length && (user === 0 ? 0 : ends[user - 1]) === at;
    });
  });
}

const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/x-ndjson']);
const tableTypes: ReadonlySet<string> = new Set([fileTypes.CSV.contentType, fileTypes.PARQUET.contentType]);

/** True if any file contains the user, or if the files are not known to have `user_id` fields. */
export async function resultContains(
  context: ReadContext & Pick<Services, 'hasUserIdFields'>,
  { job_type, files }: ErasedResult,
  userId: string,
): Promise<boolean> {
  if (!(await context.hasUserIdFields(job_type))) return true;
  // The field as JSON.stringify() writes it; the closing quote ends the value.
  const field = Buffer.from(JSON.stringify({ user_id: userId }).slice(1, -1));
  const isJson = jsonTypes.has(files[0]?.content_type ?? '');
  for (const { object_key, content_type } of files) {
    // Charts name no users.
    if (content_type === 'image/svg+xml') continue;
    // A table beside a result in JSON has no other users than that.
    if (isJson && tableTypes.has(content_type)) continue;
    if (!jsonTypes.has(content_type)) return true;
    if (await unlessAbsent(async () => includes(await chunksOf(context, object_key), field, () => true)))
      return true;
  }
  return false;
}

/** A missing object was removed meanwhile, with its model or job. */
async function unlessAbsent(read: () => Promise<boolean>): Promise<boolean> {
  try {
    return await read();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function chunksOf(
  { store, stopping: signal }: ReadContext,
  key: string,
  span?: Span,
): Promise<AsyncIterable<Buffer>> {
  const range = span && { first: span.from, last: span.from + span.length - 1 };
  const { bytes } = await store.read(key, { signal, range });
  return bytes as AsyncIterable<Buffer>;
}

/** Copies into an aligned buffer, so that a typed array can view it. */
async function readSpan(context: ReadContext, key: string, span: Span): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(span.length);
  let at = 0;
  for await (const chunk of await chunksOf(context, key, span)) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Whether the bytes occur where `isMatch` accepts it. Holds one chunk, and the end of the one before. */
async function includes(
  chunks: AsyncIterable<Buffer>,
  needle: Buffer,
  isMatch: (at: number) => boolean,
): Promise<boolean> {
  let rest = Buffer.alloc(0);
  let passed = 0;
  for await (const chunk of chunks) {
    const seen = Buffer.concat([rest, chunk]);
    for (let at = seen.indexOf(needle); at >= 0; at = seen.indexOf(needle, at + 1))
      // Returning destroys the stream.
      if (isMatch(passed + at)) return true;
    const carried = Math.min(seen.length, needle.length - 1);
    passed += seen.length - carried;
    rest = seen.subarray(seen.length - carried);
  }
  return false;
}

/** The first index whose number is not below `value`. */
function lowerBound(numbers: Uint32Array, value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
