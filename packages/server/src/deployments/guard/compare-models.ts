import { createHash } from 'node:crypto';
import { comparePaired, ndcg } from '@tastegraph/algorithms';
import { limits } from '@tastegraph/contract/limits';
import { runThreadWork, type ThreadContext } from '../../jobs/engine/thread-work.ts';
import { openObjectStore } from '../../kernel/objects/open.ts';
import { openDatabase, type Queryable } from '../../kernel/postgres/pool.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import { ModelCache } from '../../models/model-cache.ts';
import { type KnownUser, readKnownUsers, type ServedProject } from '../../serving/rows/serving-reads.ts';
import { rank } from '../../serving/rules/rank.ts';
import { rankedPool } from '../../serving/search/question-call.ts';
import { itemsOf } from '../../serving/state/exclusions.ts';
import { findRecordedItems, listNewTargetEvents } from '../rows.ts';
import type { Comparison, ComparisonTask } from './protocol.ts';

/** A second to read, and more than `guardUsers` users in any shop. */
const maxEvents = 300_000;

interface NewUsers {
  /** Each user's items with a new target event. */
  readonly items: ReadonlyMap<string, ReadonlySet<string>>;
  readonly sinceTs: number;
}

/**
 * Users with target events after `sinceTs`: of too many events the newest, of too many users those with the smallest hashes, which are the
 * same for all models and in a retry.
 */
async function sampleNewUsers(db: Queryable, project: ServedProject, sinceTs: number): Promise<NewUsers> {
  const events = await listNewTargetEvents(db, project, sinceTs, maxEvents);
  // Events of the oldest moment may be cut off: they count as known.
  const oldest = events.length === maxEvents ? (events.at(-1)?.ts ?? sinceTs) : sinceTs;
  const items = new Map<string, Set<string>>();
  for (const { user_id, item_id, ts } of events) {
    if (ts > oldest) items.set(user_id, (items.get(user_id) ?? new Set<string>()).add(item_id));
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

/** Items per statement. */
const itemsPerStatement = 1000;

/** Lists what a call without rules recommends, but for items that are newer than the model: they come last in a call. */
async function openLists(
  db: Queryable,
  project: ServedProject,
  { generator, ranker }: { generator: LoadedModel; ranker: LoadedModel | undefined },
  length: number,
): Promise<(user: KnownUser) => string[]> {
  const { itemIds } = generator;
  const hasRecord = new Uint8Array(itemIds.length);
  for (let from = 0; from < itemIds.length; from += itemsPerStatement) {
    const batch = itemIds.slice(from, from + itemsPerStatement);
    const recorded = await findRecordedItems(db, project, batch);
    for (const [place, id] of batch.entries()) if (recorded.has(id)) hasRecord[from + place] = 1;
  }
  const masked = (item: number) => hasRecord[item] === 0;
  const n = ranker ? rankedPool : length;
  return (user) => {
    const found = generator.scorer
      .recommend(generator.userOf(user), { n, masked })
      .map(({ item }) => ({ id: itemIds[item] ?? '' }));
    const ordered = ranker ? rank(ranker, ranker.userOf(user), found, ({ id }) => id) : found;
    return ordered.slice(0, length).map(({ id }) => id);
  };
}

/** As in the metrics of a training. */
const listLength = 20;
/** Users per statement: a history of 1000 events has about 60 kB. */
const batchSize = 100;

/** The thread that compares two deployments on the same newest events. */
async function run(task: ComparisonTask, { report }: ThreadContext): Promise<Comparison> {
  const { project, databaseUrl, objects } = task;
  const db = openDatabase({ url: databaseUrl, poolSize: 2, onIdleError: () => undefined });
  try {
    await using store = await openObjectStore(objects);
    report('comparing', 0, 'reading the models');
    const cache = new ModelCache(store, Number.MAX_SAFE_INTEGER);
    const lists = [];
    for (const models of [task.deployed, task.candidate]) {
      const { generator, ranker } = models;
      const loaded = {
        generator: await cache.get(generator),
        ranker: ranker ? await cache.get(ranker) : undefined,
      };
      lists.push(await openLists(db, project, loaded, listLength));
    }
    const { items, sinceTs } = await sampleNewUsers(db, project, task.sinceTs);
    const userIds = [...items.keys()];
    const scores: [number[], number[]] = [[], []];
    for (let from = 0; from < userIds.length; from += batchSize) {
      report('comparing', from / userIds.length, `${from} of ${userIds.length} users`);
      const batch = userIds.slice(from, from + batchSize);
      const users = await readKnownUsers(db, project, batch, sinceTs);
      for (const [place, user] of users.entries()) {
        // Items that the user had a target event with before are never recommended, so they cannot be predicted.
        const known = new Set(itemsOf(user.events, [project.target_event_type]));
        const relevant = (items.get(batch[place] ?? '') ?? new Set<string>()).difference(known);
        if (relevant.size === 0) continue;
        for (const [model, listOf] of lists.entries()) scores[model]?.push(scoreOf(listOf(user), relevant));
      }
    }
    return { ...comparePaired(...scores), sinceTs };
  } finally {
    await db.close();
  }
}

function scoreOf(list: readonly string[], relevant: ReadonlySet<string>): number {
  const numbers = new Map([...relevant].map((id, number) => [id, number]));
  // Any number that is not relevant.
  const ranked = list.map((id) => numbers.get(id) ?? -1);
  return ndcg(ranked, new Set(numbers.values()), listLength);
}

await runThreadWork(run);
