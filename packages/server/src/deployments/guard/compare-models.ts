import { comparePaired, ndcg } from '@tastegraph/algorithms';
import { runThreadWork, type ThreadContext } from '../../jobs/engine/thread-work.ts';
import { openObjectStore } from '../../kernel/objects/open.ts';
import { openDatabase } from '../../kernel/postgres/pool.ts';
import { ModelCache } from '../../serving/models/model-cache.ts';
import { eventFields, type KnownUser, readKnownUsers } from '../../serving/rows/serving-reads.ts';
import { openLists } from './open-lists.ts';
import type { Comparison, ComparisonTask } from './protocol.ts';
import { sampleNewUsers } from './sample-users.ts';

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
      const known = await readKnownUsers(db, project, batch, sinceTs);
      for (const [place, user] of known.entries()) {
        const relevant = newItems(
          user,
          items.get(batch[place] ?? '') ?? new Set(),
          project.target_event_type,
        );
        if (relevant.size === 0) continue;
        for (const [model, listOf] of lists.entries()) scores[model]?.push(scoreOf(listOf(user), relevant));
      }
    }
    return { ...comparePaired(...scores), sinceTs };
  } finally {
    await db.close();
  }
}

/** Items that the user had a target event with before are never recommended, so they cannot be predicted. */
function newItems({ events }: KnownUser, items: ReadonlySet<string>, targetType: string): Set<string> {
  const relevant = new Set(items);
  for (let field = 0; field < events.length; field += eventFields)
    if (events[field + 1] === targetType) relevant.delete(events[field] ?? '');
  return relevant;
}

function scoreOf(list: readonly string[], relevant: ReadonlySet<string>): number {
  const numbers = new Map([...relevant].map((id, number) => [id, number]));
  // Any number that is not relevant.
  const ranked = list.map((id) => numbers.get(id) ?? -1);
  return ndcg(ranked, new Set(numbers.values()), listLength);
}

await runThreadWork(run);
