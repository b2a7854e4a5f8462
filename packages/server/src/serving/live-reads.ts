import { type BatchOptions, inBatches } from '../lib/batches.ts';
import type { Database } from '../storage/postgres/pool.ts';
import {
  type Deployed,
  type KnownUser,
  readItems,
  readUserStates,
  type ServedProject,
} from '../storage/postgres/serving-reads.ts';

type Attributes = Record<string, unknown>;

/** What a call reads live. Calls of a project that ask at the same time share a statement. */
export interface LiveReads {
  /** Undefined when nothing is deployed. */
  userState(project: ServedProject, userId: string): Promise<(Deployed & KnownUser) | undefined>;
  /** Records of these items, those that have one, and maybe of others. */
  items(project: ServedProject, ids: readonly string[]): Promise<ReadonlyMap<string, Attributes>>;
}

/**
 * Two keep PostgreSQL busy while one's answer is taken in. Sixteen calls together take about as long as three alone; with more,
 * each would wait for the histories of too many others.
 */
const together: BatchOptions = { atOnce: 2, most: 16 };
/** Longer lists are worth a statement of their own, and are no burden to others' then. */
const sharedIds = 250;

interface Batched {
  readonly userState: (userId: string) => Promise<(Deployed & KnownUser) | undefined>;
  readonly items: (ids: readonly string[]) => Promise<ReadonlyMap<string, Attributes>>;
}

export function createLiveReads(db: Database): LiveReads {
  const ofProjects = new WeakMap<ServedProject, Batched>();
  const batchedOf = (project: ServedProject): Batched => {
    const known = ofProjects.get(project);
    if (known) return known;
    const batched: Batched = {
      userState: inBatches(together, async (userIds: string[]) => readUserStates(db, project, userIds)),
      items: inBatches(together, async (lists: (readonly string[])[]) => {
        const records = await readItems(
          db,
          project,
          lists.length > 1 ? [...new Set(lists.flat())] : (lists[0] ?? []),
        );
        return lists.map(() => records);
      }),
    };
    ofProjects.set(project, batched);
    return batched;
  };
  return {
    userState: (project, userId) => batchedOf(project).userState(userId),
    items: (project, ids) =>
      ids.length > sharedIds ? readItems(db, project, ids) : batchedOf(project).items(ids),
  };
}
