import { ApiError } from '../errors.ts';
import type { CallOptions } from '../operations.ts';
import type { UpsertResponse } from './kinds.ts';

/** Sends records that are already JSON. */
export type SendBatch = (records: readonly string[], options: CallOptions) => Promise<UpsertResponse>;

/**
 * Halves a batch that is too large for the service or a proxy (413), until it fits. The service also limits the number
 * of objects, arrays and keys. A single record that is too large is reported as a failure. The halves are sent one after
 * the other, so that the last record with an ID wins.
 */
export async function sendWithSplitting(
  send: SendBatch,
  records: readonly string[],
  options: CallOptions,
): Promise<UpsertResponse> {
  if (records.length === 0) return { succeed_ids: [], failed_count: 0, failures: [] };
  try {
    return await send(records, options);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 413)) throw error;
    if (records.length === 1) return { succeed_ids: [], failed_count: 1, failures: [tooLargeFailure(error)] };
  }
  const middle = records.length >> 1;
  const first = await sendWithSplitting(send, records.slice(0, middle), options);
  const second = await sendWithSplitting(send, records.slice(middle), options);
  return {
    succeed_ids: [...first.succeed_ids, ...second.succeed_ids],
    failed_count: first.failed_count + second.failed_count,
    // Indexes refer to the whole batch.
    failures: [...first.failures, ...second.failures.map((one) => ({ ...one, index: one.index + middle }))],
  };
}

/** The service did not read the record, so its ID is unknown. */
function tooLargeFailure({ message }: ApiError): UpsertResponse['failures'][number] {
  return { index: 0, code: 'RECORD_TOO_LARGE', message };
}
