import type { LateEvidence, TakenItem } from '@tastegraph/algorithms';
import { LRUCache } from 'lru-cache';
import { createLimiter } from '../../kernel/lib/limiter.ts';
import { slices } from '../../kernel/lib/slices.ts';
import { cancelAfter, type Database } from '../../kernel/postgres/pool.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import { type ItemTaker, readItemTakers, readTakenItems } from '../rows/item-takers.ts';
import type { ServedProject } from '../rows/serving-reads.ts';
import { type LateView, placeIn } from './late-items.ts';

/** Events that one read looks at, the newest first: about 50 ms of PostgreSQL. Older ones count from the next training on. */
const maxEvents = 50_000;
const horizonMs = 30 * 86_400_000;
/** Late items whose events are looked for, the first in the order of IDs. */
const maxAsked = 20_000;
/** Events with late items that are returned. */
const maxTakers = 10_000;
/** Late items with evidence: those with the newest events. Limits the cost of a call. */
const maxItems = 512;
/** Users whose histories are read, per item and in all, and how many of their newest events. */
const maxUsersPerItem = 16;
const maxUsers = 500;
const maxHistory = 100;
/** Longer than a read should take; PostgreSQL then cancels it. */
const readMs = 5000;
/** How long evidence is used at least; longer if reading took long, so that it takes at most 1 % of a core per project. */
const minAgeMs = 10_000;
const ageFactor = 100;
/** Projects and models with evidence: at most 256 kB each. */
const maxKnown = 200;
/** Projects that may wait to be read. They are read one at a time, so that reading takes one connection. */
const maxWaiting = 1000;

interface Entry {
  readonly items: ReadonlyMap<string, TakenItem>;
  /** By `performance.now()`. */
  readonly freshUntil: number;
  /** For the late items that were last asked for. */
  placed?: { readonly ids: LateView['ids']; readonly evidence: LateEvidence };
}

type TakingModel = Pick<LoadedModel, 'modelKey' | 'itemNumbers' | 'weighHistories'>;

/** What the users who took a late item say about it, until the next training. Read in the background: no call waits. */
export class TakenItems {
  readonly #db: Database;
  readonly #known = new LRUCache<string, Entry>({ max: maxKnown });
  readonly #reading = new Set<string>();
  readonly #limiter = createLimiter({ concurrency: 1, maxWaiting });

  constructor(db: Database) {
    this.#db = db;
  }

  /** The late items, with the evidence that is known now. */
  addTo(project: ServedProject, model: TakingModel, late: LateView): LateView {
    if (!late.scored || late.ids.length === 0 || !model.weighHistories) return late;
    const key = `${project.project_id} ${model.modelKey}`;
    const known = this.#known.get(key);
    if (!known || performance.now() > known.freshUntil) void this.#refresh(key, project, model, late.ids);
    if (!known || known.items.size === 0) return late;
    if (known.placed?.ids !== late.ids)
      known.placed = { ids: late.ids, evidence: placeEvidence(known.items, late) };
    return { ...late, scored: { ...late.scored, evidence: known.placed.evidence } };
  }

  /** Keeps what is known if it fails: evidence only improves an answer. */
  async #refresh(
    key: string,
    project: ServedProject,
    model: TakingModel,
    ids: LateView['ids'],
  ): Promise<void> {
    if (this.#reading.has(key)) return;
    this.#reading.add(key);
    let items: Entry['items'] = this.#known.get(key)?.items ?? new Map();
    let tookMs = 0;
    try {
      await this.#limiter(async () => {
        const startMs = performance.now();
        items = await this.#read(project, model, ids.slice(0, maxAsked));
        tookMs = performance.now() - startMs;
      });
    } catch {
      // The next refresh tries again.
    } finally {
      this.#known.set(key, { items, freshUntil: performance.now() + Math.max(minAgeMs, ageFactor * tookMs) });
      this.#reading.delete(key);
    }
  }

  async #read(
    { events, account_id, target_event_type: eventType }: ServedProject,
    { itemNumbers, weighHistories }: TakingModel,
    itemIds: readonly string[],
  ): Promise<Map<string, TakenItem>> {
    const deadline = performance.now() + readMs;
    const db = cancelAfter(this.#db, () => deadline - performance.now());
    const takers = await readItemTakers(db, events, {
      itemIds,
      eventType,
      fromTs: Date.now() - horizonMs,
      maxEvents,
      maxTakers,
    });
    const taken = new Map<string, TakenItem>();
    if (takers.length === 0) return taken;
    const usersOf = groupTakers(takers);
    const userIds = chooseUsers([...usersOf.values()]);
    const histories = new Map<string, Uint32Array>();
    const lists = await readTakenItems(db, events, { userIds, eventType, maxEvents: maxHistory });
    await slices.forEach(account_id, lists.entries(), ([place, list]) => {
      const numbers = new Set(list.flatMap((id) => itemNumbers.get(id) ?? []));
      if (numbers.size > 0) histories.set(userIds[place] ?? '', Uint32Array.from(numbers));
    });
    await slices.forEach(account_id, usersOf, ([id, users]) => {
      const own = [...users].slice(0, maxUsersPerItem).flatMap((user) => histories.get(user) ?? []);
      const weighed = own.length > 0 ? weighHistories?.(own, users.size) : undefined;
      if (weighed) taken.set(id, weighed);
    });
    return taken;
  }
}

/** The users of each item, newest first; of items, those with the newest events. */
function groupTakers(takers: readonly ItemTaker[]): Map<string, Set<string>> {
  const usersOf = new Map<string, Set<string>>();
  for (const { item_id, user_id } of takers) {
    const users = usersOf.get(item_id) ?? new Set<string>();
    if (!usersOf.has(item_id) && usersOf.size >= maxItems) continue;
    usersOf.set(item_id, users.add(user_id));
  }
  return usersOf;
}

/** The newest user of each item first, then the second of each, and so on. */
function chooseUsers(lists: readonly ReadonlySet<string>[]): string[] {
  const chosen = new Set<string>();
  const rows = lists.map((users) => [...users].slice(0, maxUsersPerItem));
  for (let place = 0; place < maxUsersPerItem; place++)
    for (const row of rows) {
      const user = row[place];
      if (user !== undefined && chosen.size < maxUsers) chosen.add(user);
    }
  return [...chosen];
}

function placeEvidence(items: ReadonlyMap<string, TakenItem>, { ids, scored }: LateView): LateEvidence {
  const found = [...items]
    .map(([id, taken]) => ({ place: placeIn(ids, id), id, taken }))
    .filter(({ place, id }) => ids[place] === id && place < (scored?.count ?? 0))
    .toSorted((one, other) => one.place - other.place);
  const offsets = new Uint32Array(found.length + 1);
  for (const [index, { taken }] of found.entries())
    offsets[index + 1] = (offsets[index] ?? 0) + taken.item.length;
  const item = new Uint32Array(offsets[found.length] ?? 0);
  const weight = new Float32Array(item.length);
  for (const [index, { taken }] of found.entries()) {
    item.set(taken.item, offsets[index]);
    weight.set(taken.weight, offsets[index]);
  }
  return {
    place: Uint32Array.from(found, ({ place }) => place),
    events: Uint32Array.from(found, ({ taken }) => taken.events),
    offsets,
    item,
    weight,
  };
}
