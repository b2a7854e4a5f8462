import { type Texts, textAt } from '@tastegraph/algorithms';
import type { ResultFile } from '../../jobs/rows/jobs.ts';
import { readLines } from '../../kernel/files/ndjson.ts';
import { isAbsent } from '../../kernel/objects/error.ts';
import type { ObjectStore } from '../../kernel/objects/store.ts';
import type { ClusteredUser } from './describe-clustering.ts';

/**
 * For each current user, the ID of their cluster in an earlier result, or 0. Both are in byte order of the user IDs, so
 * this merges them in one pass and keeps only one number per user. Undefined if the result no longer exists.
 */
export async function readPrevious(
  store: ObjectStore,
  { object_key, size, sha256 }: ResultFile,
  userIds: Texts,
  signal: AbortSignal,
): Promise<Int32Array | undefined> {
  const body = await store.read(object_key, { expect: { size, sha256 }, signal }).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (!body) return undefined;
  const count = userIds.ends.length;
  const previous = new Int32Array(count);
  let user = 0;
  for await (const line of readLines(body.bytes as AsyncIterable<Uint8Array>)) {
    if (!isUserLine(line)) continue;
    const userId = Buffer.from(line.user_id);
    while (user < count && Buffer.compare(Buffer.from(textAt(userIds, user)), userId) < 0) user++;
    if (user < count && textAt(userIds, user) === line.user_id) previous[user++] = line.cluster_id ?? 0;
  }
  return previous;
}

/** The first lines describe the clustering and its clusters. */
function isUserLine(line: unknown): line is ClusteredUser {
  return typeof line === 'object' && line !== null && 'user_id' in line;
}
