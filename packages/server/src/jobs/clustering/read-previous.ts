import { type Texts, textAt } from '@tastegraph/algorithms';
import { isAbsent } from '../../storage/objects/error.ts';
import type { ObjectStore } from '../../storage/objects/store.ts';
import type { ResultFile } from '../../storage/postgres/jobs.ts';
import { readLines } from '../analysis/ndjson.ts';

interface UserLine {
  readonly user_id: string;
  readonly cluster_id: number | null;
}

/**
 * For each user of now, the id of the cluster in an earlier result, or 0. Both are in the order of the ids' bytes, so they
 * are walked side by side, and nothing but a number a user is kept. Undefined when the result is no longer there.
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
    const wanted = Buffer.from(line.user_id);
    while (user < count && Buffer.compare(Buffer.from(textAt(userIds, user)), wanted) < 0) user++;
    if (user < count && textAt(userIds, user) === line.user_id) previous[user++] = line.cluster_id ?? 0;
  }
  return previous;
}

/** The lines before are of the whole, and of its clusters. */
function isUserLine(line: unknown): line is UserLine {
  return typeof line === 'object' && line !== null && 'user_id' in line;
}
