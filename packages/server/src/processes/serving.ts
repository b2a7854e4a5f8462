import { getHeapStatistics } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { recommendHandlers } from '../http/routes/recommend.ts';
import { within } from '../lib/within.ts';
import { createAdmission } from '../serving/admission.ts';
import { createFilterCache } from '../serving/filter/filter-cache.ts';
import { createLiveReads } from '../serving/live-reads.ts';
import { ItemMirrors } from '../serving/mirror/item-mirrors.ts';
import { ModelCache } from '../serving/model-cache.ts';
import { Projects } from '../serving/projects.ts';
import { tryDeployments } from '../serving/try-deployments.ts';
import type { ObjectStore } from '../storage/objects/store.ts';
import { listDeployedModels } from '../storage/postgres/served-projects.ts';
import type { Deployed } from '../storage/postgres/serving-reads.ts';
import { createTokenBucket } from '../storage/redis/token-bucket.ts';
import { startHttp } from './http.ts';
import { openObjects } from './objects.ts';
import type { Runtime } from './run.ts';

/** Services send the same few filters again and again; a compiled one is some kilobytes, and a long one counts as several. */
const keptFilters = 1000;
/** As many projects as one process may serve at a time; what is kept of each is small. */
const keptProjects = 10_000;
/** A call waits for PostgreSQL most of its time: so many for each connection keep all of them busy. */
const callsAConnection = 4;
/** A second's worth of calls may wait, for a fifth of their time: what would wait longer is better told at once. */
const waitingACall = 4;
const waitShare = 0.2;

/** A start does not wait longer for a store that is slow or silent: what is not loaded by then is when it is asked for. */
const loadingMs = 60_000;

/** Of the memory: items serve the calls whose filter few match, models serve all. */
const mirrorsShare = 0.25;
/** Unlike models, items are on V8's heap, where calls need room too. */
const mirrorsHeapShare = 0.5;

/** The recommendation call, ready to be served: what was deployed last is in memory. */
export async function openServing(runtime: Runtime, store: ObjectStore) {
  const { config, processId: serverId, log, metrics, db, redis, closers, stopping } = runtime;
  const { serving, databasePoolSize } = config;
  const mirrorBytes = Math.min(
    serving.memoryBytes * mirrorsShare,
    getHeapStatistics().heap_size_limit * mirrorsHeapShare,
  );
  const modelBytes = serving.memoryBytes - mirrorBytes;
  const models = new ModelCache(store, modelBytes);
  metrics.watchModels(() => models);
  const end = performance.now() + loadingMs;
  for (const model of await listDeployedModels(db, modelBytes)) {
    if (stopping.aborted || performance.now() > end) break;
    await within(end - performance.now(), models.get(model)).catch((error: unknown) =>
      log.warn({ err: error }, 'a deployed model cannot be loaded'),
    );
  }

  const trying = tryDeployments({ db, models, serverId, log, stopping });
  closers.add('trying deployments', 5000, () => trying);

  const filters = createFilterCache(keptFilters);
  const places = databasePoolSize * callsAConnection;
  return recommendHandlers({
    projects: new Projects(db, serving.deadlineMs),
    bucket: createTokenBucket(redis, { name: 'qps', onAlone: (isAlone) => metrics.limiterAlone(isAlone) }),
    admission: createAdmission({
      ...{ places, mostWaiting: places * waitingACall, waitMs: serving.deadlineMs * waitShare },
      onShed: () => metrics.recommendationRefused('overload'),
    }),
    metrics,
    serving: {
      db,
      reads: createLiveReads(db),
      models,
      mirrors: new ItemMirrors(db, mirrorBytes, (error) =>
        log.warn({ err: error }, 'a mirror of items cannot be had: calls read the items instead'),
      ),
      compileFilter: (text) => filters.get(text),
      deadlineMs: serving.deadlineMs,
      lastKnown: new LRUCache<number, Deployed>({ max: keptProjects }),
      onDegraded: (what) => metrics.recommendationDegraded(what),
    },
  });
}

export async function startServing(runtime: Runtime): Promise<string> {
  const { store } = await openObjects(runtime);
  return startHttp(runtime, await openServing(runtime, store));
}
