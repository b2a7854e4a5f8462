import { availableParallelism } from 'node:os';
import { ThreadPool } from '../../kernel/lib/thread-pool.ts';
import { ApiError } from '../api-error.ts';
import { refuseCall } from '../call-limits.ts';
import type { ListField } from './body-rules.ts';
import { type PackedRecords, unpackRecords } from './records.ts';

/** At least two, so that one account leaves another a thread. */
const concurrency = Math.max(2, Math.floor(availableParallelism() / 2));

/** Parse and check the records of large bodies. An account uses at most half of them. Bytes in flight are limited before. */
export const bodyThreads = new ThreadPool({
  concurrency,
  maxPerKey: Math.floor(concurrency / 2),
  maxWaiting: 256,
  maxWaitingPerKey: 64,
  waitMs: 10_000,
  refuse: refuseCall,
});

export interface ParseInput {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly list: ListField;
}

/** If `packed` has the records, `request` lacks them. A refusal has the fields of an ApiError. */
export type ParseResult =
  | { readonly request: Record<string, unknown> | null; readonly packed: PackedRecords | undefined }
  | { readonly refusal: Pick<ApiError, 'code' | 'message' | 'errors'> };

/** As `parseLargeBody`, in a thread. */
export async function parseInThread(body: Buffer, list: ListField, account: string): Promise<unknown> {
  // Collected bodies of this size have memory of their own.
  const bytes = new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
  const task = new URL('./parse-task.ts', import.meta.url);
  const options = { key: account, transfer: [bytes.buffer] };
  const parsed = await bodyThreads.run<ParseResult>(task, { bytes, list } satisfies ParseInput, options);
  if ('refusal' in parsed) {
    const { code, message, errors } = parsed.refusal;
    throw new ApiError(code, message, { errors });
  }
  const { request, packed } = parsed;
  if (request && packed) request[list.name] = unpackRecords(packed);
  return request;
}
