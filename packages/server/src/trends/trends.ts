import {
  chooseWindow,
  sliceEnds,
  sliceStart,
  type Trend,
  TrendBuilder,
  type TrendingItem,
} from '@tastegraph/algorithms';
import { LRUCache } from 'lru-cache';
import { latestTs } from '../datasets/event-times.ts';
import type { DatasetLocation } from '../datasets/rows/datasets.ts';
import { FairCache } from '../kernel/lib/fair-cache.ts';
import { createLimiter } from '../kernel/lib/limiter.ts';
import { slices } from '../kernel/lib/slices.ts';
import { within } from '../kernel/lib/within.ts';
import { cancelAfter, type Database } from '../kernel/postgres/pool.ts';
import { countEvents, countFields } from './rows.ts';

const hourMs = 3_600_000;
/** 100,000 in all 172 slices take PostgreSQL about 200 ms. A slice with more is estimated from its newest events. */
const maxEventsPerSlice = 600;
/** Longer than any count should take; PostgreSQL then cancels it. */
const countMs = 5000;
/** How long counts are used at least; longer if they took long, so that counting takes at most 1 % of a core per dataset. */
const minAgeMs = 60_000;
const ageFactor = 100;
/** Pause after a count that failed. */
const failurePauseMs = 10_000;
/** Share of a call's time for the first count of a dataset; the rest is for responding without it. */
const waitShare = 0.5;
/** Datasets that are counted at a time, each on one connection, and that may wait. An account has half of both. */
const concurrency = 2;
const maxWaiting = 1000;
/** Windows and lists that are kept per trend, by event type and window: callers repeat the same few. */
const maxChoices = 100;
const maxLists = 20;
/** Items per list: more than all pages of a response have. The others come in the order of the model's popularity. */
const maxTrending = 5000;

/** Whose events are counted. */
interface CountedProject {
  readonly account_id: string;
  readonly events: DatasetLocation;
}

/** The counts of a dataset. */
export interface KnownTrend {
  /** The window that predicts events of the type best, in hours. */
  windowFor(type: string): Promise<number>;
  /** The items with the most events of the type in the last `hours` hours, best first. */
  top(type: string, hours: number): readonly TrendingItem[];
}

interface Entry extends KnownTrend {
  /** Approximate memory. */
  readonly bytes: number;
  /** By `performance.now()`. */
  readonly freshUntil: number;
}

/** Event counts over time, by dataset. Counts again in the background when they are a minute old: only the first call waits. */
export class Trends {
  readonly #db: Database;
  readonly #known: FairCache<Entry>;
  readonly #counting = new Map<string, Promise<KnownTrend>>();
  readonly #failed = new LRUCache<string, Error>({ max: maxWaiting, ttl: failurePauseMs });
  readonly #limiter = createLimiter({
    concurrency,
    maxPerKey: concurrency / 2,
    maxWaiting,
    maxWaitingPerKey: maxWaiting / 2,
  });

  constructor(db: Database, maxBytes: number) {
    this.#db = db;
    const maxSize = Math.floor(maxBytes);
    // A trend larger than the share of its account is still kept, as its only one.
    this.#known = new FairCache({ maxSize, sizeOf: ({ bytes }) => Math.min(bytes, Math.floor(maxSize / 2)) });
  }

  /** Throws if the events cannot be counted in time. */
  async get(project: CountedProject, leftMs: number): Promise<KnownTrend> {
    const known = this.#known.get(project.account_id, project.events.id);
    if (!known) return within(leftMs * waitShare, this.#count(project));
    if (performance.now() > known.freshUntil) this.#count(project).catch(() => undefined);
    return known;
  }

  /** Calls share one count per dataset. */
  async #count(project: CountedProject): Promise<KnownTrend> {
    const { id } = project.events;
    const failure = this.#failed.get(id);
    if (failure) throw failure;
    const running = this.#counting.get(id);
    if (running) return running;
    const counting = this.#limiter(() => this.#read(project), { key: project.account_id })
      .catch((error: unknown) => {
        const failed = error instanceof Error ? error : new Error(String(error));
        this.#failed.set(id, failed);
        throw failed;
      })
      .finally(() => this.#counting.delete(id));
    this.#counting.set(id, counting);
    return counting;
  }

  async #read({ events, account_id }: CountedProject): Promise<KnownTrend> {
    const startMs = performance.now();
    const now = Date.now();
    const past = sliceEnds.map((end, slice) => ({
      fromTs: now - end * hourMs,
      toTs: now - sliceStart(slice) * hourMs,
    }));
    // The first span is of clocks that are ahead: its events count as now, and nothing is estimated from their times.
    const spans = [{ fromTs: now, toTs: latestTs(now) }, ...past];
    const deadline = startMs + countMs;
    const db = cancelAfter(this.#db, () => deadline - performance.now());
    const counted = await countEvents(db, events, spans, maxEventsPerSlice);
    const tookMs = performance.now() - startMs;
    const builder = new TrendBuilder();
    await slices.forEach(account_id, counted, ({ place, events: found, oldestTs, counts }) => {
      const { fromTs, toTs } = spans[place] ?? { fromTs: 0, toTs: 0 };
      const isWhole = place === 0 || found < maxEventsPerSlice;
      const weight = isWhole ? 1 : (toTs - fromTs) / Math.max(1, toTs - oldestTs);
      for (let field = 0; field < counts.length; field += countFields)
        builder.add(
          Math.max(0, place - 1),
          counts[field + 1] ?? '',
          counts[field] ?? '',
          weight * Number(counts[field + 2]),
        );
    });
    const trend = builder.build();
    const entry = {
      windowFor: chooseOnce(trend, account_id),
      top: topOnce(trend),
      bytes: trend.bytes + 1,
      freshUntil: performance.now() + Math.max(minAgeMs, ageFactor * tookMs),
    };
    this.#known.set(account_id, events.id, entry);
    return entry;
  }
}

/** Chooses a window for each event type at most once, in time slices. */
function chooseOnce(trend: Trend, tenant: string): KnownTrend['windowFor'] {
  const chosen = new LRUCache<string, Promise<number>>({ max: maxChoices });
  return (type) => {
    const known = chosen.get(type) ?? choose(trend, type, tenant);
    chosen.set(type, known);
    return known;
  };
}

function topOnce(trend: Trend): KnownTrend['top'] {
  const lists = new LRUCache<string, readonly TrendingItem[]>({ max: maxLists });
  return (type, hours) => {
    const key = `${hours} ${type}`;
    const list = lists.get(key) ?? trend.top(type, hours, maxTrending);
    lists.set(key, list);
    return list;
  };
}

async function choose(trend: Trend, type: string, tenant: string): Promise<number> {
  const steps = chooseWindow(trend, type);
  let result: IteratorResult<undefined, number> | undefined;
  await slices.run(tenant, (endMs) => {
    do result = steps.next();
    while (!result.done && performance.now() < endMs);
    return result.done === true;
  });
  return result?.value ?? 0;
}
