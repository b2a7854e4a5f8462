import { ApiError } from '../errors.ts';
import type { CallOptions } from '../operations.ts';
import type { UpsertAnswer } from './kinds.ts';

/** Sends records that are JSON already. */
export type SendBatch = (records: readonly string[], options: CallOptions) => Promise<UpsertAnswer>;

/**
 * Halves what is too large for the service, or for a proxy before it, until it is not: it also counts objects, arrays and keys, of
 * which a few records may have very many. Of a record that is too large alone it is said so, and the others are not held up. One
 * half after the other, so that of records with the same id the later one stays.
 */
export async function sendInParts(
  send: SendBatch,
  records: readonly string[],
  options: CallOptions,
): Promise<UpsertAnswer> {
  if (records.length === 0) return { succeed_ids: [], failures: [] };
  try {
    return await send(records, options);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 413)) throw error;
    if (records.length === 1) return { succeed_ids: [], failures: [tooLarge(error)] };
  }
  const middle = records.length >> 1;
  const first = await sendInParts(send, records.slice(0, middle), options);
  const second = await sendInParts(send, records.slice(middle), options);
  return {
    succeed_ids: [...first.succeed_ids, ...second.succeed_ids],
    // Places are in what was to be sent together.
    failures: [...first.failures, ...second.failures.map((one) => ({ ...one, index: one.index + middle }))],
  };
}

/** Refused unread: whose it is nobody has told. */
function tooLarge({ message }: ApiError): UpsertAnswer['failures'][number] {
  return { index: 0, code: 'RECORD_TOO_LARGE', message };
}
