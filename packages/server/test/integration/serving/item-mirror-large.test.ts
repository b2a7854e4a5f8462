import { beforeAll, describe, expect, test } from 'vitest';
import { compileFilter } from '../../../src/filters/compile-filter.ts';
import { CallBudget } from '../../../src/serving/call-budget.ts';
import { ItemMirror } from '../../../src/serving/catalogue/item-mirror.ts';
import { sortLazily } from '../../../src/serving/search/search-catalogue.ts';
import { watchLoop } from '../../watch-loop.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';
import { batchesOf } from '../stack/training.ts';
import { TrainingFixture } from '../stack/training-fixture.ts';
import { type Items, newItems, placeOf, write } from './mirror-fixture.ts';

const count = 200_000;
/**
 * The most CPU milliseconds per event-loop iteration. A time slice has 1, a page from PostgreSQL some more, and a
 * garbage collection many.
 */
const blockedMs = 500;

const fixture = perFile(() => TrainingFixture.open());
let dataset: Items;
let mirror: ItemMirror;

beforeAll(async () => {
  dataset = await newItems(fixture);
  await select(
    fixture.db,
    `INSERT INTO items (dataset_key, item_id, attributes)
      SELECT $1, 'item-' || n, jsonb_build_object('title', 'The title of item ' || n, 'price', n / 7.0, 'category', 'c' || n % 40,
        'tags', jsonb_build_array('tag' || n % 300, 'tag' || n % 310, 'tag' || n % 330))
      FROM generate_series(0, $2::int - 1) n`,
    [dataset.dataset_key, count],
  );
  mirror = new ItemMirror(fixture.db, placeOf(dataset));
}, 180_000);

const newBudget = () => new CallBudget('a tenant', () => 120_000);
const modelOf = (modelKey: string, itemIds: readonly string[]) => ({
  modelKey,
  featuresOf: undefined,
  itemIds,
  itemNumbers: new Map(itemIds.map((id, number) => [id, number])),
});

describe('a mirror of 200,000 items never blocks the process', () => {
  test('while it is loaded', async () => {
    const { worstMs } = await watchLoop(() => mirror.load(() => undefined));
    expect(worstMs).toBeLessThan(blockedMs);
  }, 180_000);

  test('while a filter is evaluated, and its matches are numbered and sorted', async () => {
    const itemIds = Array.from({ length: count / 2 }, (_, n) => `item-${2 * n}`);
    const model = modelOf('1', itemIds);
    const filter = compileFilter('item.price > 100 && item.tags.exists(t, t.startsWith("tag1"))');
    const { result, worstMs } = await watchLoop(async () => {
      const matching = await mirror.match(filter, newBudget(), model);
      if (!matching) throw new Error('the budget is not enough');
      const isNew = (id: string) => !model.itemNumbers.has(id);
      const sorted = await sortLazily(matching.ids(), isNew, newBudget());
      return { matching, first: sorted?.take(1000) ?? [] };
    });
    expect(worstMs).toBeLessThan(blockedMs);
    const { matching, first } = result;
    const all = [...matching.ids()];
    expect(all).toHaveLength(matching.count);
    const numbers = itemIds.flatMap((_, number) => (matching.hasNumber(number) ? [number] : []));
    expect(new Set(numbers.map((number) => itemIds[number]))).toEqual(
      new Set(all.filter((id) => model.itemNumbers.has(id))),
    );
    const fresh = all.filter((id) => !model.itemNumbers.has(id)).toSorted();
    expect(first).toEqual(fresh.slice(0, 1000));
  }, 180_000);

  test('while it syncs, and gives the same results by number and by ID', async () => {
    const itemIds = Array.from({ length: 3000 }, (_, n) => `late-${n}`);
    const model = modelOf('2', itemIds);
    const filter = compileFilter('item.late == true');
    await mirror.match(filter, newBudget(), model);
    for (const batch of batchesOf(itemIds)) {
      const items = Object.fromEntries(batch.map((id, n) => [id, { late: n % 2 === 0 }]));
      await write(fixture.db, dataset, items);
    }
    const { result, worstMs } = await watchLoop(async () => {
      await mirror.sync();
      return mirror.match(filter, newBudget(), model);
    });
    expect(result?.count).toBe(1500);
    for (const [number, id] of itemIds.entries()) expect(result?.hasNumber(number)).toBe(result?.has(id));
    expect(worstMs).toBeLessThan(blockedMs);
  }, 180_000);
});
