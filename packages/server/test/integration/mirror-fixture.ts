import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { compileFilter } from '../../src/serving/filter/compile-filter.ts';
import type { Matching } from '../../src/serving/mirror/item-mirror.ts';
import { ItemMirrors } from '../../src/serving/mirror/item-mirrors.ts';
import { type DatasetRow, partitionTable } from '../../src/storage/postgres/datasets.ts';
import { upsertEntities } from '../../src/storage/postgres/entities.ts';
import type { Queryable } from '../../src/storage/postgres/pool.ts';
import type { TrainingFixture } from './training-fixture.ts';

export type Items = Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition'>;

const roomy = 1e9;
export const red = compileFilter('item.color == "red"');
/** Longer than anything takes here. */
export const longMs = () => 20_000;

export async function newItems(fixture: TrainingFixture): Promise<Items> {
  const { dataset_key, partition } = (await fixture.newSource('buy')).items;
  return { dataset_key, partition, kind: 'item' };
}

export const placeOf = (dataset: Items) => ({ key: dataset.dataset_key, table: partitionTable(dataset) });
export const write = (db: Queryable, dataset: Items, items: Record<string, object>) =>
  upsertEntities(
    db,
    dataset,
    Object.entries(items).map(([id, attributes]) => ({ id, attributes: { ...attributes } })),
  );

/** What matches once there is a mirror: the first who ask find none. */
export async function match(mirrors: ItemMirrors, dataset: Items, filter = red): Promise<string[]> {
  for (const end = performance.now() + longMs(); performance.now() < end; ) {
    const matching = await mirrors.match(placeOf(dataset), filter, longMs);
    if (matching) return checked(matching);
    await sleep(5);
  }
  throw new Error('no mirror was loaded');
}

/** Its ids; its other answers agree with them. */
export function checked(matching: Matching): string[] {
  const ids = matching.ids().toSorted();
  expect(matching.count).toBe(ids.length);
  for (const id of ids) expect(matching.has(id)).toBe(true);
  expect(matching.has('one that was never there')).toBe(false);
  return ids;
}

export const newMirrors = (db: Queryable, budgetBytes = roomy, failures: unknown[] = []) =>
  new ItemMirrors(db, budgetBytes, (error) => {
    failures.push(error);
  });
