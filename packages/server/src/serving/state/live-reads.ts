import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchOptions, createBatcher } from '../../kernel/lib/batches.ts';
import { createLimiter, type Limiter } from '../../kernel/lib/limiter.ts';
import { isUnavailable, type Queryable } from '../../kernel/postgres/pool.ts';
import type { ReadScenarios, ServedScenario } from '../ports.ts';
import {
  type ItemFields,
  type ItemsRequest,
  readItems,
  readItemsOf,
  type StoredItem,
} from '../rows/item-reads.ts';
import { readDeployedQps, readUserAttributes, type ServedProject } from '../rows/serving-reads.ts';
import { type AskedUser, readUserStates, type UserState } from '../rows/user-states.ts';

type Attributes = Record<string, unknown>;

/** Reads that calls make. Concurrent calls share statements, also those of different projects where they often meet. */
export interface LiveReads {
  /** For a call whose deadline is `endMs` (by `performance.now()`): reads that have not started by then never start. */
  forCall(project: ServedProject, endMs: number): CallReads;
  /** The current qps limit, by a read that starts after this is called; undefined if nothing is deployed. */
  qps(project: ServedProject, endMs: number): Promise<number | undefined>;
  /** The current version of a scenario, by a read that starts after this is called; undefined if it does not exist. */
  scenario(project: ServedProject, name: string, endMs: number): Promise<ServedScenario | undefined>;
}

export interface CallReads {
  /** Undefined if nothing is deployed. */
  userState(userId: string): Promise<UserState | undefined>;
  userAttributes(userId: string): Promise<Attributes | null>;
  /**
   * The requested items that have a record, and possibly others. Items that do not fit into a statement's bytes are
   * present but not read; with `ownStatement`, at least the first one is read.
   */
  items(request: AskedItems & { readonly ownStatement: boolean }): Promise<ReadonlyMap<string, StoredItem>>;
  /** For statements that are not shared with other calls. */
  readonly db: Queryable;
}

interface AskedItems {
  readonly ids: readonly string[];
  readonly fields: ItemFields;
}

interface ProjectItems extends AskedItems {
  readonly project: ServedProject;
}

/** More than the calls in progress: only reads of callers that are gone can reach this limit. */
const maxWaiting = 5000;
/**
 * Two batches in flight keep PostgreSQL busy while one response is parsed. Sixteen calls together take about as long as
 * three alone; in larger batches, each call would wait for the histories of too many others.
 */
const batchOptions = { maxInFlight: 2, maxSize: 16, maxWaiting } satisfies BatchOptions;
/** Longer than batches take, unless PostgreSQL is overloaded or a table is locked, and less than a call has. */
const slowMs = 100;
/** Longer lists get their own statement, so that they do not slow down other calls. */
const maxSharedIds = 250;
/** The share of connections that a project's unshared statements may use, even when they hang on a lock. */
const unsharedShare = 0.25;
/** Refused calls check whether their limit still applies. This limits a flood of them to one read per interval. */
const qpsPauseMs = 20;

/** Reads the state and the deployment of each user. Undefined where nothing is deployed. */
export type ReadStates = typeof readUserStates;

/** `connections`: how many statements may be in flight. At most the pool's size, so that none waits there. */
export function createLiveReads(
  db: Queryable,
  connections: number,
  readStates: ReadStates = readUserStates,
  readNamed: ReadScenarios = () => Promise.reject(new Error('scenarios are not read here')),
): LiveReads {
  const sharedLimiter = createLimiter({ concurrency: connections, maxWaiting });
  const options = { ...batchOptions, limiter: sharedLimiter };
  const byProject = { of: projectOf, maxInFlight: batchOptions.maxInFlight, slowMs };
  const userState = createBatcher(
    options,
    (asked: AskedUser[]) => readTogether(asked, (some) => readStates(db, some)),
    byProject,
  );
  const items = createBatcher(
    options,
    (asked: ProjectItems[]) => readTogether(asked, (some) => readItemsTogether(db, some)),
    byProject,
  );

  /** The reads of a project that are shared only among its own calls. */
  const open = (project: ServedProject) => ({
    userAttributes: createBatcher(options, (userIds: string[]) => readUserAttributes(db, project, userIds)),
    qps: createBatcher(
      { maxInFlight: 1, maxSize: maxWaiting, maxWaiting, limiter: throttle(qpsPauseMs, sharedLimiter) },
      async (requests: undefined[]) => {
        const qps = await readDeployedQps(db, project);
        return requests.map(() => qps);
      },
    ),
    scenario: createBatcher(options, async (names: string[]) => {
      const found = await readNamed(db, project, [...new Set(names)]);
      const byName = new Map(found.map((scenario) => [scenario.name, scenario]));
      return names.map((name) => byName.get(name));
    }),
    unsharedLimiter: createLimiter({
      concurrency: Math.max(1, Math.floor(connections * unsharedShare)),
      maxWaiting,
    }),
  });
  const readsByProject = new WeakMap<ServedProject, ReturnType<typeof open>>();
  const readsOf = (project: ServedProject) => {
    const reads = readsByProject.get(project) ?? open(project);
    readsByProject.set(project, reads);
    return reads;
  };

  return {
    forCall(project, endMs) {
      const reads = readsOf(project);
      const unsharedDb: Queryable = {
        rows: (statement, values) =>
          reads.unsharedLimiter(() => sharedLimiter(() => db.rows(statement, values), { endMs }), {
            endMs,
          }),
      };
      return {
        userState: (userId) => userState({ project, userId }, endMs),
        userAttributes: (userId) => reads.userAttributes(userId, endMs),
        items: ({ ids, fields, ownStatement }) =>
          ownStatement || ids.length > maxSharedIds
            ? readItems(unsharedDb, project.items, ids, fields)
            : items({ project, ids, fields }, endMs),
        db: unsharedDb,
      };
    },
    qps: (project, endMs) => readsOf(project).qps(undefined, endMs),
    scenario: (project, name, endMs) => readsOf(project).scenario(name, endMs),
  };
}

/** Starts at most one call per `pauseMs`. */
function throttle(pauseMs: number, limiter: Limiter): Limiter {
  let nextAt = 0;
  return async (work, call) => {
    const waitMs = nextAt - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    nextAt = performance.now() + pauseMs;
    return limiter(work, call);
  };
}

const projectOf = ({ project }: { readonly project: ServedProject }) => project;

/** One statement for all projects. If it fails, one for each, so that a fault in the data of one fails no calls of others. */
async function readTogether<Asked extends { readonly project: ServedProject }, Found>(
  asked: readonly Asked[],
  read: (some: readonly Asked[]) => Promise<readonly Found[]>,
): Promise<readonly (Found | Promise<Found>)[]> {
  try {
    return await read(asked);
  } catch (error) {
    const byProject = Map.groupBy(asked, projectOf);
    if (byProject.size === 1 || isUnavailable(error)) throw error;
    const ends = new Map<Asked, () => Promise<Found>>();
    for (const own of byProject.values()) {
      const [end] = await Promise.allSettled([read(own)]);
      for (const [index, one] of own.entries())
        ends.set(one, async () => {
          if (end.status === 'rejected') throw end.reason;
          return end.value[index] as Found;
        });
    }
    // A promise that fails must not exist before its call waits for it.
    return asked.map((one) => ends.get(one)?.() ?? Promise.reject(error as Error));
  }
}

/** One request per project, with the IDs and fields of all its calls. */
async function readItemsTogether(
  db: Queryable,
  asked: readonly ProjectItems[],
): Promise<ReadonlyMap<string, StoredItem>[]> {
  const byProject = [...Map.groupBy(asked, projectOf)];
  const found = await readItemsOf(
    db,
    byProject.map(([{ items }, own]): ItemsRequest => ({ items, ...mergeAsked(own) })),
  );
  const ofProject = new Map(byProject.map(([project], index) => [project, found[index]]));
  return asked.map(({ project }) => ofProject.get(project) ?? new Map());
}

function mergeAsked(asked: readonly AskedItems[]): AskedItems {
  const [first] = asked;
  if (first && asked.length === 1) return first;
  const ids = new Set(asked.flatMap((one) => one.ids));
  const names = new Set(asked.flatMap(({ fields }) => (fields === 'all' ? [] : fields)));
  const isAll = asked.some(({ fields }) => fields === 'all');
  return { ids: [...ids], fields: isAll ? 'all' : [...names] };
}
