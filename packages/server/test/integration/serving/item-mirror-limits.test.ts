import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { deleteEntities } from '../../../src/datasets/rows/entities.ts';
import { deleteOldItemChanges } from '../../../src/datasets/rows/item-changes.ts';
import { compileFilter } from '../../../src/filters/compile-filter.ts';
import type { Database } from '../../../src/kernel/postgres/pool.ts';
import { CallBudget } from '../../../src/serving/call-budget.ts';
import { ItemMirror, type MatchingItems } from '../../../src/serving/catalogue/item-mirror.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';
import { TrainingFixture } from '../stack/training-fixture.ts';
import {
  checked,
  match,
  newItems,
  newMirrors,
  patient,
  placeOf,
  projectOf,
  red,
  write,
} from './mirror-fixture.ts';

const fixture = perFile(() => TrainingFixture.open(8));

describe('a mirror that may have missed changes is loaded again', () => {
  /** The index of the value in readItemChanges, and its shift. */
  test.each([
    ['was not synced for longer than changes are stored', 3, -31 * 60],
    ['is ahead of the clock', 3, 60],
    ['was made from another server', 2, -1],
  ])('when it %s', async (_, place, shift) => {
    const dataset = await newItems(fixture);
    await write(fixture.db, dataset, { a: { color: 'red' }, b: { color: 'red' } });
    let isShifted = false;
    const shifting: Database = {
      ...fixture.db,
      rows(statement, values) {
        const isShiftedNow = isShifted && statement.name === 'read_item_changes';
        if (isShiftedNow) isShifted = false;
        return fixture.db.rows(
          statement,
          isShiftedNow ? values.with(place, Number(values[place]) + shift) : values,
        );
      },
    };
    const mirrors = newMirrors(shifting);
    await match(mirrors, dataset);
    await deleteEntities(fixture.db, dataset, ['a']);
    const { dataset_key } = dataset;
    await select(
      fixture.db,
      "UPDATE item_changes SET changed_at = changed_at - interval '2 hours' WHERE dataset_key = $1",
      [dataset_key],
    );
    expect(await deleteOldItemChanges(fixture.db, 100)).toBe(2);
    isShifted = true;
    expect(await mirrors.match(projectOf(dataset), red, patient())).toBeUndefined();
    expect(await match(mirrors, dataset)).toEqual(['b']);
  });
});

describe('the memory for mirrors', () => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`i${n}`, { color: 'red', n }]));

  test('is not exceeded: a mirror that does not fit is discarded', async () => {
    const dataset = await newItems(fixture);
    await write(fixture.db, dataset, many);
    const failures: unknown[] = [];
    const mirrors = newMirrors(fixture.db, 200_000, failures);
    for (const end = performance.now() + 20_000; failures.length === 0 && performance.now() < end; ) {
      expect(await mirrors.match(projectOf(dataset), red, patient())).toBeUndefined();
      await sleep(5);
    }
    expect(failures).toHaveLength(1);
    expect(mirrors.bytes).toBe(0);
    // And it is not retried at once.
    expect(await mirrors.match(projectOf(dataset), red, patient())).toBeUndefined();
    expect(mirrors.bytes).toBe(0);
  });

  test('is freed when a mirror outgrows it', async () => {
    const dataset = await newItems(fixture);
    await write(fixture.db, dataset, { i0: { color: 'red' } });
    const failures: unknown[] = [];
    const mirrors = newMirrors(fixture.db, 200_000, failures);
    expect(await match(mirrors, dataset)).toEqual(['i0']);
    await write(fixture.db, dataset, many);
    expect(await match(mirrors, dataset)).toHaveLength(3000);
    expect(failures).toHaveLength(1);
    expect(mirrors.bytes).toBe(0);
  });

  test('goes to the most recently used mirrors', async () => {
    const [first, second] = [await newItems(fixture), await newItems(fixture)];
    for (const dataset of [first, second]) await write(fixture.db, dataset, many);
    const one = newMirrors(fixture.db);
    await match(one, first);
    const mirrors = newMirrors(fixture.db, one.bytes * 1.5);
    await match(mirrors, first);
    // The first was just used, and stays.
    await mirrors.match(projectOf(second), red, patient());
    for (let turn = 0; turn < 20; turn++) {
      await sleep(20);
      // A page (a third of the items) counts once it has been read.
      expect(mirrors.bytes).toBeLessThanOrEqual(one.bytes * (1.5 + 1 / 3));
    }
    expect(await mirrors.match(projectOf(first), red, patient())).toBeDefined();
    expect(await mirrors.match(projectOf(second), red, patient())).toBeUndefined();
  });
});

describe('of two accounts', () => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`i${n}`, { color: 'red', n }]));

  test('one gets its half of the memory, although the other uses all of it, and keeps it', async () => {
    const datasets = [await newItems(fixture), await newItems(fixture), await newItems(fixture)] as const;
    for (const dataset of datasets) await write(fixture.db, dataset, many);
    const [first, second, third] = datasets;
    const single = newMirrors(fixture.db);
    await match(single, first);
    const mirrors = newMirrors(fixture.db, single.bytes * 2.4);
    const isFound = async (dataset: typeof first, account: string) =>
      (await mirrors.match(projectOf(dataset, account), red, patient())) !== undefined;
    for (const dataset of [first, second]) await expect.poll(() => isFound(dataset, 'greedy')).toBe(true);
    await expect.poll(() => isFound(third, 'modest'), { timeout: 10_000 }).toBe(true);
    expect(await isFound(first, 'greedy')).toBe(false);
    for (let turn = 0; turn < 10; turn++) {
      await sleep(20);
      await isFound(first, 'greedy');
      expect(await isFound(third, 'modest')).toBe(true);
    }
  });
});

describe("a call's time", () => {
  test('ends an evaluation, which the next call continues', async () => {
    const dataset = await newItems(fixture);
    const list = Array.from({ length: 300 }, (_, n) => n);
    const items = Array.from({ length: 60 }, (_, n) => [`i${n}`, { list, n }] as const);
    await write(fixture.db, dataset, Object.fromEntries(items));
    const mirror = new ItemMirror(fixture.db, placeOf(dataset));
    await mirror.load(() => undefined);
    // Every item takes all allowed steps: milliseconds.
    const slow = compileFilter('item.n == 7 || item.list.exists(x, item.list.exists(y, x + y > 1000))');
    let calls = 0;
    for (let matching: MatchingItems | undefined; !matching; calls++) {
      const end = performance.now() + 10;
      matching = await mirror.match(slow, new CallBudget('a tenant', () => end - performance.now()));
      if (matching) expect(checked(matching)).toEqual(['i7']);
      expect(calls).toBeLessThan(60);
    }
    expect(calls).toBeGreaterThan(2);
  });

  test('that is over causes no reads', async () => {
    const dataset = await newItems(fixture);
    const mirrors = newMirrors(fixture.db);
    await match(mirrors, dataset);
    expect(await mirrors.match(projectOf(dataset), red, new CallBudget('a tenant', () => 0))).toBeUndefined();
  });
});
