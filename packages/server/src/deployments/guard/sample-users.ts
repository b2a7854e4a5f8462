import { createHash } from 'node:crypto';
import { limits } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import type { ServedProject } from '../../serving/rows/serving-reads.ts';
import { listNewTargetEvents } from '../rows/guard-reads.ts';

/** A second to read, and more than `guardUsers` users in any shop. */
const maxEvents = 300_000;

export interface NewUsers {
  /** Each user's items with a new target event. */
  readonly items: ReadonlyMap<string, ReadonlySet<string>>;
  readonly sinceTs: number;
}

/**
 * Users with target events after `sinceTs`. If there are too many, the newest events count, and of their users those whose ID has the
 * smallest hash: a sample that does not depend on the models, and the same in a retry.
 */
export async function sampleNewUsers(
  db: Queryable,
  project: ServedProject,
  sinceTs: number,
): Promise<NewUsers> {
  const events = await listNewTargetEvents(db, project, sinceTs, maxEvents);
  // Events of the oldest moment may be cut off: they count as known.
  const oldest = events.length === maxEvents ? (events.at(-1)?.ts ?? sinceTs) : sinceTs;
  const items = new Map<string, Set<string>>();
  for (const { user_id, item_id, ts } of events) {
    if (ts <= oldest) continue;
    const own = items.get(user_id);
    if (own) own.add(item_id);
    else items.set(user_id, new Set([item_id]));
  }
  return { items: new Map(smallestHashes(items)), sinceTs: oldest };
}

function smallestHashes<T>(entries: ReadonlyMap<string, T>): (readonly [string, T])[] {
  const hashOf = (text: string) => createHash('md5').update(text).digest('hex');
  return [...entries]
    .map((entry) => ({ entry, hash: hashOf(entry[0]) }))
    .sort((one, other) => (one.hash < other.hash ? -1 : 1))
    .slice(0, limits.guardUsers)
    .map(({ entry }) => entry);
}
