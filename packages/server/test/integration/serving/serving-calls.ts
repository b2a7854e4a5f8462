import { LRUCache } from 'lru-cache';
import { compileFilter } from '../../../src/filters/compile-filter.ts';
import { ModelCache } from '../../../src/models/model-cache.ts';
import { CallClock } from '../../../src/serving/call-clock.ts';
import { ItemMirrors } from '../../../src/serving/catalogue/item-mirrors.ts';
import { TakenItems } from '../../../src/serving/catalogue/taken-items.ts';
import type { ServedDeployment, ServedProject } from '../../../src/serving/rows/serving-reads.ts';
import type { QuestionCall, ServingContext } from '../../../src/serving/search/question-call.ts';
import { Cursors } from '../../../src/serving/state/cursors.ts';
import { createLiveReads } from '../../../src/serving/state/live-reads.ts';
import { Projects } from '../../../src/serving/state/projects.ts';
import { Trends } from '../../../src/trends/trends.ts';
import { deployDirectly } from '../stack/shop.ts';
import { api, caller } from '../stack/stack.ts';

/** The deadline of calls that are not about time. */
export const plentyMs = 20_000;

/** A project of the file's account as calls see it. */
export const resolveServed = (projectId: string): Promise<ServedProject> =>
  new Projects(api.db).resolve(caller.credentials.accountId, projectId, new CallClock(plentyMs));

/** Deploys a model. Returns its project as calls see it. */
export async function deployServed(projectId: string, modelId: string): Promise<ServedProject> {
  await deployDirectly(modelId);
  return resolveServed(projectId);
}

/** A serving process with the given memory for mirrors. */
export const newServing = (mirrorBytes: number, models = new ModelCache(api.store, 1e9)) =>
  ({
    models,
    compileFilter,
    cursors: { get: async () => new Cursors(Buffer.alloc(32)) },
    trends: new Trends(api.db, 1e6),
    takenItems: new TakenItems(api.db),
    reads: createLiveReads(api.db, 16),
    mirrors: new ItemMirrors(api.db, mirrorBytes, () => undefined),
    lastKnown: new LRUCache<string, ServedDeployment>({ max: 1 }),
    deadlineMs: plentyMs,
  }) satisfies ServingContext;

/** A call that no limit refuses. */
export const callOf = (
  serving: ServingContext,
  project: ServedProject,
  question: string,
  withinMs = plentyMs,
): QuestionCall => ({
  serving: { ...serving, deadlineMs: withinMs },
  question,
  project,
  clock: new CallClock(withinMs),
  admit: async () => undefined,
  degraded: [],
  trace: { page: [] },
});
