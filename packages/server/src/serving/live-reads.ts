import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchOptions, createBatcher } from '../lib/batches.ts';
import { createLimiter, type Limiter } from '../lib/limiter.ts';
import { type ItemFields, readItems, type StoredItem } from '../storage/postgres/item-reads.ts';
import type { Queryable } from '../storage/postgres/pool.ts';
import { readScenarios, type ServedScenario } from '../storage/postgres/scenarios.ts';
import {
  type KnownUser,
  readDeployedQps,
  readUserAttributes,
  readUserStates,
  type ServedDeployment,
  type ServedProject,
} from '../storage/postgres/serving-reads.ts';

type Attributes = Record<string, unknown>;

interface ItemsRequest {
  readonly ids: readonly string[];
  readonly fields: ItemFields;
}

/** Reads that calls make. Concurrent calls of a project share statements. */
export interface LiveReads {
  /**
   * The reads of a call whose deadline is `endMs` (by `performance.now()`). Reads that have not started by then never
   * start.
   */
  forCall(project: ServedProject, endMs: number): CallReads;
  /** The current qps limit, by a read that starts after this is called; undefined if nothing is deployed. */
  qps(project: ServedProject, endMs: number): Promise<number | undefined>;
  /** The current version of a scenario, by a read that starts after this is called; undefined if it does not exist. */
  scenario(project: ServedProject, name: string, endMs: number): Promise<ServedScenario | undefined>;
}

export interface CallReads {
  /** Undefined if nothing is deployed. */
  userState(userId: string): Promise<(ServedDeployment & KnownUser) | undefined>;
  userAttributes(userId: string): Promise<Attributes | null>;
  /**
   * The requested items that have a record, and possibly others. Items that do not fit into a statement's bytes are
   * present but not read; with `ownStatement`, at least the first one is read.
   */
  items(request: ItemsRequest & { readonly ownStatement: boolean }): Promise<ReadonlyMap<string, StoredItem>>;
  /** For statements that are not shared with other calls. */
  readonly db: Queryable;
}

/** More than the calls in progress: only reads of callers that are gone can reach this limit. */
const maxWaiting = 5000;
/**
 * Two batches in flight keep PostgreSQL busy while one response is parsed. Sixteen calls together take about as long as
 * three alone; in larger batches, each call would wait for the histories of too many others.
 */
const batchOptions = { maxInFlight: 2, maxSize: 16, maxWaiting } satisfies BatchOptions;
/** Longer lists get their own statement, so that they do not slow down other calls. */
const maxSharedIds = 250;
/** The share of connections that a project's unshared statements may use, even when they hang on a lock. */
const unsharedShare = 0.25;
/** Refused calls check whether their limit still applies. This limits a flood of them to one read per interval. */
const qpsPauseMs = 20;

interface BatchedReads {
  readonly userState: (userId: string, endMs: number) => Promise<(ServedDeployment & KnownUser) | undefined>;
  readonly userAttributes: (userId: string, endMs: number) => Promise<Attributes | null>;
  readonly items: (request: ItemsRequest, endMs: number) => Promise<ReadonlyMap<string, StoredItem>>;
  readonly qps: (request: undefined, endMs: number) => Promise<number | undefined>;
  readonly scenario: (name: string, endMs: number) => Promise<ServedScenario | undefined>;
  readonly unsharedLimiter: Limiter;
}

/** Reads the state and the deployment of each user. Empty if nothing is deployed. */
export type ReadStates = typeof readUserStates;
/** Reads the scenarios of these names that exist. */
type ReadScenarios = typeof readScenarios;

/** `connections`: how many statements may be in flight. At most the pool's size, so that none waits there. */
export function createLiveReads(
  db: Queryable,
  connections: number,
  readStates: ReadStates = readUserStates,
  readNamed: ReadScenarios = readScenarios,
): LiveReads {
  const readsByProject = new WeakMap<ServedProject, BatchedReads>();
  const sharedLimiter = createLimiter({ concurrency: connections, maxWaiting });

  const open = (project: ServedProject): BatchedReads => {
    const options: BatchOptions = { ...batchOptions, limiter: sharedLimiter };
    return {
      userState: createBatcher(options, (userIds: string[]) => readStates(db, project, userIds)),
      userAttributes: createBatcher(options, (userIds: string[]) => readUserAttributes(db, project, userIds)),
      items: createBatcher(options, async (requests: ItemsRequest[]) => {
        const { ids, fields } = mergeRequests(requests);
        const records = await readItems(db, project.items, ids, fields);
        return requests.map(() => records);
      }),
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
    };
  };
  const batchedOf = (project: ServedProject): BatchedReads => {
    const batched = readsByProject.get(project) ?? open(project);
    readsByProject.set(project, batched);
    return batched;
  };

  return {
    forCall(project, endMs) {
      const batched = batchedOf(project);
      const unsharedDb: Queryable = {
        rows: (statement, values) =>
          batched.unsharedLimiter(() => sharedLimiter(() => db.rows(statement, values), { endMs }), {
            endMs,
          }),
      };
      return {
        userState: (userId) => batched.userState(userId, endMs),
        userAttributes: (userId) => batched.userAttributes(userId, endMs),
        items: ({ ids, fields, ownStatement }) =>
          ownStatement || ids.length > maxSharedIds
            ? readItems(unsharedDb, project.items, ids, fields)
            : batched.items({ ids, fields }, endMs),
        db: unsharedDb,
      };
    },
    qps: (project, endMs) => batchedOf(project).qps(undefined, endMs),
    scenario: (project, name, endMs) => batchedOf(project).scenario(name, endMs),
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

function mergeRequests(requests: readonly ItemsRequest[]): ItemsRequest {
  const [first] = requests;
  if (first && requests.length === 1) return first;
  const names = new Set<string>();
  let isAll = false;
  for (const { fields } of requests)
    if (fields === 'all') isAll = true;
    else for (const name of fields) names.add(name);
  return {
    ids: [...new Set(requests.flatMap(({ ids }) => ids))],
    fields: isAll ? 'all' : [...names],
  };
}
