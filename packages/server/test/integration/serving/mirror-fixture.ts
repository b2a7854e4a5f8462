import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type DatasetRow, partitionTable } from '../../../src/datasets/rows/datasets.ts';
import { entityRow, upsertEntities } from '../../../src/datasets/rows/entities.ts';
import { compileFilter } from '../../../src/filters/compile-filter.ts';
import type { Database, Queryable } from '../../../src/kernel/postgres/pool.ts';
import { CallBudget } from '../../../src/serving/call-budget.ts';
import type { MatchingItems } from '../../../src/serving/catalogue/item-mirror.ts';
import { ItemMirrors } from '../../../src/serving/catalogue/item-mirrors.ts';
import type { TrainingFixture } from '../stack/training-fixture.ts';

export type Items = Pick<DatasetRow, 'dataset_id' | 'dataset_key' | 'kind' | 'partition'>;

const roomy = 1e9;
export const red = compileFilter('item.color == "red"');
/** Longer than any test here. */
const longMs = 20_000;
/** The budget of a call with enough time. */
export const patient = () => new CallBudget('a tenant', () => longMs);

export async function newItems(fixture: TrainingFixture): Promise<Items> {
  const { dataset_id, dataset_key, partition } = (await fixture.newSource('buy')).items;
  return { dataset_id, dataset_key, partition, kind: 'item' };
}

export const placeOf = (dataset: Items) => ({
  id: dataset.dataset_id,
  key: dataset.dataset_key,
  partition: dataset.partition,
  table: partitionTable(dataset),
});
export const projectOf = (dataset: Items, account_id = 'an account') => ({
  account_id,
  items: placeOf(dataset),
});
export const write = (db: Queryable, dataset: Items, items: Record<string, object>) =>
  upsertEntities(
    db,
    dataset,
    Object.entries(items).map(([id, attributes]) => entityRow({ id, attributes: { ...attributes } })),
  );

/** The matches once there is a mirror: the first calls find none. */
export async function match(mirrors: ItemMirrors, dataset: Items, filter = red): Promise<string[]> {
  for (const end = performance.now() + longMs; performance.now() < end; ) {
    const matching = await mirrors.match(projectOf(dataset), filter, patient());
    if (matching) return checked(matching);
    await sleep(5);
  }
  throw new Error('no mirror was loaded');
}

/** Its IDs, after checking that its other methods agree with them. */
export function checked(matching: MatchingItems): string[] {
  const ids = [...matching.ids()].toSorted();
  expect(matching.count).toBe(ids.length);
  for (const id of ids) expect(matching.has(id)).toBe(true);
  expect(matching.has('one that was never there')).toBe(false);
  return ids;
}

export const newMirrors = (db: Database, budgetBytes = roomy, failures: unknown[] = []) =>
  new ItemMirrors(db, budgetBytes, (error) => {
    failures.push(error);
  });
