import { similaritySteps } from '@tastegraph/algorithms';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { both, compileFilter, type Filter } from '../../src/filters/compile-filter.ts';
import { uniformOf } from '../../src/kernel/lib/hashes.ts';
import { CallBudget } from '../../src/serving/call-budget.ts';
import type { Rules } from '../../src/serving/compiled-rules.ts';
import { placementOf } from '../../src/serving/placement.ts';
import { StoredItem } from '../../src/serving/rows/item-reads.ts';
import { BoostedItems } from '../../src/serving/rules/boost.ts';
import { compileRules, valuesOf } from '../../src/serving/rules/compile-rules.ts';
import {
  Diversifier,
  type PoolSimilarity,
  similarityByAttributes,
  similarityByModel,
} from '../../src/serving/rules/diversify.ts';
import { fillPage, ValueLimit } from '../../src/serving/rules/fill-page.ts';
import { newItems, promotion, reservedUpTo } from '../../src/serving/rules/reserve.ts';
import { Sequence } from '../../src/serving/rules/sequence.ts';
import type { Candidate, CandidateSource } from '../../src/serving/search/candidates.ts';
import { type FoundItem, ItemFinder } from '../../src/serving/search/item-finder.ts';
import type { Search } from '../../src/serving/search/search-catalogue.ts';

interface Item {
  readonly id: string;
  readonly score: number;
  readonly isFilled: boolean;
  readonly group: number;
}

/** Items of falling scores, by evidence. */
const itemsBy = (length: number, groupOf: (place: number) => number) =>
  Array.from({ length }, (_, place): Item => {
    return { id: `i${place}`, score: length - place, isFilled: false, group: groupOf(place) };
  });

/** A catalogue as a model orders it: by evidence, then by popularity. Many scores are equal. */
const catalogueOf = fc
  .array(fc.record({ score: fc.integer({ min: 0, max: 12 }), isFilled: fc.boolean(), group: fc.nat(4) }), {
    maxLength: 120,
  })
  .map((items): Item[] =>
    items
      .toSorted((a, b) => Number(a.isFilled) - Number(b.isFilled) || b.score - a.score)
      .map((item, place) => ({ ...item, id: `i${place}` })),
  );

const boostsOf = fc.array(
  fc.record({
    if: fc.nat(4).map((group) => `item.group == ${group}`),
    factor: fc.constantFrom(0.1, 0.5, 1, 1.5, 3, 10),
  }),
  { maxLength: 4 },
);

/** Batches as small as they can be, so that every decision between batches is tried. */
function sourceOf(items: readonly Item[]): CandidateSource {
  let place = 0;
  return {
    get hasEnded() {
      return place >= items.length;
    },
    next: (_, isEligible) => {
      const taken = items.slice(place, place + 3);
      place += 3;
      return taken
        .map(({ id, score, isFilled }, index): Candidate => {
          return { itemId: id, score, isFilled, number: place - 3 + index };
        })
        .filter(({ itemId, number }) => isEligible?.(itemId, number) ?? true);
    },
  };
}

const context = { serving: { compileFilter }, project: { account_id: 'acc' } };
const budget = () => new CallBudget('acc', () => 60_000);

function finderOf(items: readonly Item[], rules: Rules, filter?: Filter): ItemFinder {
  const records = new Map(
    items.map(({ id, group }) => [id, new StoredItem('all', JSON.stringify({ group }))] as const),
  );
  const search = {
    db: { rows: async () => [] },
    reads: { items: async () => records },
    project: { items: {} },
    generator: { itemNumbers: new Map(items.map(({ id }, number) => [id, number])) },
    candidates: sourceOf(items),
    request: { ...placementOf({}), user_id: undefined },
    isExcluded: undefined,
    filter,
    mark: rules.mark,
    markedAttributes: rules.attributes,
    targetCount: 10,
    history: 'whole',
    events: [],
    leftMs: () => 60_000,
  } as unknown as Search;
  return new ItemFinder(search, budget(), 1e9);
}

async function readAll(stream: { next(max: number): Promise<FoundItem[]>; readonly hasEnded: boolean }) {
  const all: FoundItem[] = [];
  while (!stream.hasEnded) all.push(...(await stream.next(5)));
  return all;
}

const unmarked = { boosts: [], factor: 1, isPromoted: false, values: [], tokens: [] };
const none: Rules = {
  boosts: [],
  pins: new Map(),
  promotion: undefined,
  newItemShare: 0,
  attributes: [],
  diversity: { weight: undefined, cap: undefined },
  factorOf: () => 1,
  mark: () => unmarked,
};

const rulesOf = async (fields: Parameters<typeof placementOf>[0]) =>
  (await compileRules(context, placementOf(fields))) ?? none;

/** Boosts by scoring and sorting the whole catalogue. */
function boostNaively(items: readonly Item[], boosts: readonly { if: string; factor: number }[]): Item[] {
  const factorOf = ({ group }: Item) =>
    boosts
      .filter((boost) => boost.if === `item.group == ${group}`)
      .reduce((product, { factor }) => product * factor, 1);
  return items
    .map((item) => ({ ...item, score: item.score * factorOf(item) }))
    .toSorted((a, b) => Number(a.isFilled) - Number(b.isFilled) || b.score - a.score);
}

describe('boosts', () => {
  test('give the order of the whole catalogue by boosted score', async () => {
    await fc.assert(
      fc.asyncProperty(catalogueOf, boostsOf, async (items, boosts) => {
        const rules = await rulesOf({ boosts });
        const stream = new BoostedItems(finderOf(items, rules), rules.boosts);
        const found = await readAll(stream);
        const expected = boostNaively(items, boosts);
        expect(found.map(({ candidate }) => [candidate.itemId, candidate.score])).toEqual(
          expected.map(({ id, score }) => [id, score]),
        );
        expect(stream.isInexact).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test('examine no more items than the factors require', async () => {
    const items = itemsBy(300, (place) => place % 5);
    const rules = await rulesOf({ boosts: [{ if: 'item.group == 1', factor: 1.1 }] });
    const finder = finderOf(items, rules);
    const stream = new BoostedItems(finder, rules.boosts);
    const best: FoundItem[] = [];
    while (best.length < 10) best.push(...(await stream.next(10 - best.length)));
    // The tenth has a score of at least 291, which an item below 265 cannot reach.
    expect(finder.examined).toBeLessThan(45);
  });

  test('that are not valid are refused with the path of their condition', async () => {
    const expectRefused = (fields: Parameters<typeof rulesOf>[0], path: string) =>
      expect(rulesOf(fields)).rejects.toMatchObject({ code: 'INVALID_REQUEST', errors: [{ path }] });
    await expectRefused({ boosts: [{ if: 'item.price <', factor: 2 }] }, 'boosts.0.if');
    const pins = [1, 2].map((position) => ({ position, item_id: 'a' }));
    await expectRefused({ pins }, 'pins.1.item_id');
  });
});

const pinned = (items: readonly Item[], rules: Rules, pins: ReadonlyMap<number, string>) =>
  new Map(
    [...pins].map(([position, id]) => {
      const { group = 0, score = 0, isFilled = true } = items.find((item) => item.id === id) ?? {};
      const candidate = { itemId: id, number: undefined, score, isFilled };
      return [
        position,
        { candidate, attributes: {}, length: 1, marks: rules.mark({ group }, id, budget()) },
      ] as const;
    }),
  );

/** Fills the page by looking at the whole catalogue for each position. */
function fillNaively(
  items: readonly Item[],
  request: { limit: number; pins: ReadonlyMap<number, string>; share: number; group: number },
): string[] {
  const { limit, pins, share, group } = request;
  const waiting = new Map(pins);
  const page: string[] = [];
  const free = () => items.filter(({ id }) => !page.includes(id) && ![...pins.values()].includes(id));
  const isPromoted = (id: string) => items.find((item) => item.id === id)?.group === group;
  while (page.length < limit) {
    const position = page.length + 1;
    const pin = waiting.get(position);
    waiting.delete(position);
    const isDue = page.filter(isPromoted).length < reservedUpTo(position, share);
    const promoted = isDue ? free().find(({ id }) => isPromoted(id))?.id : undefined;
    const next = pin ?? promoted ?? free()[0]?.id;
    if (next === undefined) break;
    page.push(next);
  }
  const rest = [...waiting].toSorted(([a], [b]) => a - b).map(([, id]) => id);
  return [...page, ...rest].slice(0, limit);
}

describe('a page with pins and a promotion', () => {
  const requests = fc.record({
    limit: fc.integer({ min: 1, max: 30 }),
    pinPositions: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 4 }),
    share: fc.constantFrom(0, 0.1, 0.25, 1 / 3, 0.5),
    group: fc.nat(4),
  });

  test('is what looking at the whole catalogue for each position gives', async () => {
    await fc.assert(
      fc.asyncProperty(catalogueOf, requests, async (items, { limit, pinPositions, share, group }) => {
        const pins = new Map(
          pinPositions
            .filter((position) => position <= limit)
            .flatMap((position, place) => {
              const id = items[(place * 37) % Math.max(1, items.length)]?.id;
              return id === undefined || place * 37 >= items.length ? [] : [[position, id] as const];
            }),
        );
        const promote = { if: `item.group == ${group}`, share };
        const rules = await rulesOf({ promote });
        const unpinned = items.filter(({ id }) => ![...pins.values()].includes(id));
        const open = (filter?: Filter) => new Sequence([], finderOf(unpinned, rules, filter));
        const { page } = await fillPage({
          limit,
          sequence: open(),
          pinned: pinned(items, rules, pins),
          reservations: [
            promotion(promote.if, share, () => open(both(undefined, compileFilter(promote.if)))),
          ],
        });
        const ids = page.map(({ candidate }) => candidate.itemId);
        expect(ids).toEqual(fillNaively(items, { limit, pins, share, group }));
        const matching = items.filter((item) => item.group === group).length;
        const shown = page.filter(({ marks }) => marks?.isPromoted).length;
        const slots = ids.length - pins.size;
        if (pins.size === 0)
          expect(shown).toBeGreaterThanOrEqual(Math.min(matching, Math.round(slots * share)));
      }),
      { numRuns: 400 },
    );
  });
});

describe('new_item_share', () => {
  const shares = fc.constantFrom(0.1, 0.25, 1 / 3, 0.5);
  /** A page of items of which those of group 0 are new. */
  const fill = async (
    items: readonly Item[],
    request: { limit: number; share: number; random: (position: number) => number },
  ) => {
    const isNew = ({ attributes }: FoundItem) => attributes['group'] === 0;
    const withGroup = (group?: number) => {
      const taken = group === undefined ? items : items.filter((item) => item.group === group);
      const found = taken.map(
        ({ id, score, isFilled, group: own }): FoundItem => ({
          candidate: { itemId: id, number: undefined, score, isFilled },
          attributes: { group: own },
          length: 1,
          marks: undefined,
        }),
      );
      let place = 0;
      return new Sequence([], {
        get hasEnded() {
          return place >= found.length;
        },
        // As few at a time as possible, so that a draw has to wait for more.
        next: async () => found.slice(place, (place += 2)),
      });
    };
    const { limit, share, random } = request;
    const reservations = [newItems(share, isNew, random, () => withGroup(0))];
    const { page } = await fillPage({ limit, sequence: withGroup(), pinned: new Map(), reservations });
    return { page, isNew };
  };

  test('gives new items their share, never an item twice, each drawn among the best that are left', async () => {
    const limits = fc.integer({ min: 1, max: 30 });
    const draws = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 30, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(catalogueOf, limits, shares, draws, async (items, limit, share, uniform) => {
        const random = (place: number) => uniform[place - 1] ?? 0;
        const { page, isNew } = await fill(items, { limit, share, random });
        const ids = page.map(({ candidate }) => candidate.itemId);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toHaveLength(Math.min(limit, items.length));
        const available = items.filter(({ group }) => group === 0);
        for (const [index, item] of page.entries()) {
          const above = page.slice(0, index);
          const shown = page.slice(0, index + 1).filter(isNew).length;
          expect(shown).toBeGreaterThanOrEqual(Math.min(available.length, reservedUpTo(index + 1, share)));
          const left = (one: Item) => !above.some(({ candidate }) => candidate.itemId === one.id);
          const best = items.find(left)?.id;
          if (item.by !== 'new_item_share') {
            expect(item.candidate.itemId).toBe(best);
            continue;
          }
          const choices = available.filter(left).slice(0, 5);
          const drawn = choices[Math.floor((uniform[index] ?? 0) * choices.length)];
          expect(item.candidate.itemId).toBe(drawn?.id);
          expect(item.probability).toBe(1 / choices.length);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('draws each of the choices with the probability that it says', async () => {
    const items = itemsBy(40, (place) => (place < 20 ? 1 : 0));
    const drawn = new Map<string, number>();
    const users = 2000;
    for (let user = 0; user < users; user++) {
      const random = (position: number) => uniformOf(`u${user}/${position}`);
      const { page } = await fill(items, { limit: 4, share: 0.25, random });
      const item = page.find(({ by }) => by === 'new_item_share');
      expect(item?.probability).toBe(0.2);
      const id = item?.candidate.itemId ?? '';
      drawn.set(id, (drawn.get(id) ?? 0) + 1);
    }
    expect([...drawn.keys()].toSorted()).toEqual(['i20', 'i21', 'i22', 'i23', 'i24']);
    // Five standard deviations.
    for (const count of drawn.values()) expect(Math.abs(count - users / 5)).toBeLessThan(90);
  });
});

describe('max_per_value', () => {
  test('is kept exactly, by taking the best items that fit', async () => {
    const maxOf = fc.integer({ min: 1, max: 4 });
    const limitOf = fc.integer({ min: 1, max: 30 });
    await fc.assert(
      fc.asyncProperty(catalogueOf, maxOf, limitOf, async (items, maxPerValue, limit) => {
        const rules = await rulesOf({ diversity: { attribute: 'group', max_per_value: maxPerValue } });
        const sequence = new Sequence([], finderOf(items, rules));
        const { page } = await fillPage({ limit, sequence, pinned: new Map(), maxPerValue });
        const counts = new Map<number, number>();
        const expected = items.filter(({ group }) => {
          const count = counts.get(group) ?? 0;
          if (count < maxPerValue) counts.set(group, count + 1);
          return count < maxPerValue;
        });
        expect(page.map(({ candidate }) => candidate.itemId)).toEqual(
          expected.slice(0, limit).map(({ id }) => id),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('counts each value of a list, and no item without one', () => {
    const marked = (value: unknown) => ({
      ...unmarked,
      values: valuesOf({ genres: value }, 'genres', budget()),
    });
    const limit = new ValueLimit(1);
    limit.add(marked(['a', 'b', 'b']));
    expect(
      ['a', ['b'], ['c', 'a'], 'c', ['c'], null, undefined].map((value) => limit.allows(marked(value))),
    ).toEqual([false, false, false, true, true, true, true]);
    limit.add(marked(['c', 'd', 'd']));
    expect(limit.allows(marked('d'))).toBe(false);
  });
});

describe('a level of diversity', () => {
  const poolOf = (items: readonly Item[], tokens: (item: Item) => readonly string[]) =>
    items.map(
      (item, number): FoundItem => ({
        candidate: { itemId: item.id, number, score: item.score, isFilled: item.isFilled },
        attributes: {},
        length: 1,
        marks: { ...unmarked, tokens: tokens(item) },
      }),
    );
  /** Chooses by comparing every item with every one taken. */
  function diversifyNaively(
    pool: readonly FoundItem[],
    weight: number,
    similarity: (one: FoundItem, other: FoundItem) => number,
  ): FoundItem[] {
    const taken: FoundItem[] = [];
    while (taken.length < pool.length) {
      const values = pool.map((item, place) =>
        taken.includes(item)
          ? Number.NEGATIVE_INFINITY
          : (1 - weight) * (1 - place / pool.length) -
            weight * Math.max(0, ...taken.map((other) => similarity(item, other))),
      );
      const best = pool[values.indexOf(Math.max(...values))];
      if (best) taken.push(best);
    }
    return taken;
  }
  function chooseAll(pool: readonly FoundItem[], similarity: PoolSimilarity, weight: number): FoundItem[] {
    const diversifier = new Diversifier(pool, similarity, weight);
    const taken: FoundItem[] = [];
    for (;;) {
      const next = diversifier.choose((item) => !taken.includes(item));
      if (!next) return taken;
      diversifier.take(next);
      taken.push(next);
    }
  }
  const weights = fc.constantFrom(0.2, 0.5, 0.9);
  type Edges = readonly (readonly [from: number, to: number, similarity: number])[];
  const similarityTo = (edges: Edges, one: number, other: number) =>
    Math.max(
      0,
      ...edges.flatMap(([from, to, similarity]) => (from === one && to === other ? [similarity] : [])),
    );
  const similarityIn = (edges: Edges, one: number, other: number) =>
    Math.max(similarityTo(edges, one, other), similarityTo(edges, other, one));

  test('chooses as comparing all items by their attributes does', () => {
    fc.assert(
      fc.property(catalogueOf, weights, (items, weight) => {
        const pool = poolOf(items, ({ group, score }) => [`g=${group}`, `s=${score % 3}`, `t=${score % 2}`]);
        const jaccard = (one: FoundItem, other: FoundItem) => {
          const all = new Set([...(one.marks?.tokens ?? []), ...(other.marks?.tokens ?? [])]);
          const shared = (one.marks?.tokens ?? []).filter((token) => other.marks?.tokens.includes(token));
          return shared.length / all.size;
        };
        expect(chooseAll(pool, similarityByAttributes(pool), weight)).toEqual(
          diversifyNaively(pool, weight, jaccard),
        );
      }),
      { numRuns: 100 },
    );
  });

  test('chooses as comparing all items by the model does', async () => {
    const edges = fc.array(fc.tuple(fc.nat(119), fc.nat(119), fc.constantFrom(30, 60, similaritySteps)), {
      maxLength: 300,
    });
    await fc.assert(
      fc.asyncProperty(catalogueOf, edges, weights, async (items, all, weight) => {
        const pool = poolOf(items, () => []);
        const similarities = (rows: Int32Array, columns: Int32Array) =>
          Uint8Array.from(
            [...rows].flatMap((row) => [...columns].map((column) => similarityTo(all, row, column))),
          );
        const naive = (one: FoundItem, other: FoundItem) =>
          similarityIn(all, one.candidate.number ?? -1, other.candidate.number ?? -1) / similaritySteps;
        expect(chooseAll(pool, similarityByModel(pool, { similarities }), weight)).toEqual(
          diversifyNaively(pool, weight, naive),
        );
        // An item that is not in the pool, such as a pinned one.
        const [outside, ...rest] = pool;
        if (!outside) return;
        const closest = new Float64Array(rest.length);
        similarityByModel(rest, { similarities }).raise(closest, outside);
        expect([...closest]).toEqual(rest.map((item) => naive(item, outside)));
      }),
      { numRuns: 50 },
    );
  });

  test('lets other work run before each choice once its slice is over', async () => {
    const items = itemsBy(1000, () => 0);
    const tokens = Array.from({ length: 20 }, (_, token) => `t=${token}`);
    const pool = poolOf(items, () => tokens);
    let turns = 0;
    const { page } = await fillPage({
      limit: 200,
      sequence: new Sequence(pool, { hasEnded: true, next: async () => [] }),
      pinned: new Map(),
      diversifier: new Diversifier(pool, similarityByAttributes(pool), 0.4),
      slice: {
        isOver: () => true,
        next: async () => {
          turns++;
        },
      },
    });
    expect(page).toHaveLength(200);
    expect(turns).toBe(200);
  });
});
