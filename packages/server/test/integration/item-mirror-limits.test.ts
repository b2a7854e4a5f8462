import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileFilter } from '../../src/serving/filter/compile-filter.ts';
import { ItemMirror, type Matching } from '../../src/serving/mirror/item-mirror.ts';
import { deleteEntities } from '../../src/storage/postgres/entities.ts';
import { deleteOldItemChanges } from '../../src/storage/postgres/item-changes.ts';
import type { Queryable } from '../../src/storage/postgres/pool.ts';
import { select } from './kinds.ts';
import { checked, longMs, match, newItems, newMirrors, placeOf, red, write } from './mirror-fixture.ts';
import { TrainingFixture } from './training-fixture.ts';

let fixture: TrainingFixture;
beforeAll(async () => {
  fixture = await TrainingFixture.open(8);
});
afterAll(() => fixture.close());

describe('a mirror that cannot know everything any more is loaded again', () => {
  /** The place of the value in readItemChanges, and what makes it another. */
  test.each([
    ['was not kept up for longer than changes are kept', 3, -31 * 60],
    ['is ahead of the clock', 3, 60],
    ['was made from another server', 2, -1],
  ])('when it %s', async (_, place, shift) => {
    const dataset = await newItems(fixture);
    await write(fixture.db, dataset, { a: { color: 'red' }, b: { color: 'red' } });
    let isShifted = false;
    const shifting: Queryable = {
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
    expect(await mirrors.match(placeOf(dataset), red, longMs)).toBeUndefined();
    expect(await match(mirrors, dataset)).toEqual(['b']);
  });
});

describe('the memory for mirrors', () => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`i${n}`, { color: 'red', n }]));

  test('is kept: one that does not fit is not there', async () => {
    const dataset = await newItems(fixture);
    await write(fixture.db, dataset, many);
    const failures: unknown[] = [];
    const mirrors = newMirrors(fixture.db, 200_000, failures);
    for (const end = performance.now() + longMs(); failures.length === 0 && performance.now() < end; ) {
      expect(await mirrors.match(placeOf(dataset), red, longMs)).toBeUndefined();
      await sleep(5);
    }
    expect(failures.map(String)).toEqual([expect.stringContaining('more memory')]);
    expect(mirrors.bytes).toBe(0);
    // Nor is it tried again at once.
    expect(await mirrors.match(placeOf(dataset), red, longMs)).toBeUndefined();
    expect(mirrors.bytes).toBe(0);
  });

  test('is given up by one that outgrows it', async () => {
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

  test('goes to those that were used last', async () => {
    const [first, second] = [await newItems(fixture), await newItems(fixture)];
    for (const dataset of [first, second]) await write(fixture.db, dataset, many);
    const one = newMirrors(fixture.db);
    await match(one, first);
    const mirrors = newMirrors(fixture.db, one.bytes * 1.5);
    await match(mirrors, first);
    // The first was used a moment ago, and stays.
    await mirrors.match(placeOf(second), red, longMs);
    for (let turn = 0; turn < 20; turn++) {
      await sleep(20);
      expect(mirrors.bytes).toBeLessThanOrEqual(one.bytes * 1.5);
    }
    expect(await mirrors.match(placeOf(first), red, longMs)).toBeDefined();
    expect(await mirrors.match(placeOf(second), red, longMs)).toBeUndefined();
  });
});

describe("a call's time", () => {
  test('ends an evaluation, which the next call goes on with', async () => {
    const dataset = await newItems(fixture);
    const list = Array.from({ length: 300 }, (_, n) => n);
    const items = Array.from({ length: 60 }, (_, n) => [`i${n}`, { list, n }] as const);
    await write(fixture.db, dataset, Object.fromEntries(items));
    const mirror = new ItemMirror(fixture.db, placeOf(dataset));
    await mirror.load(() => undefined);
    // Every item takes all the steps that it may: milliseconds.
    const slow = compileFilter('item.n == 7 || item.list.exists(x, item.list.exists(y, x + y > 1000))');
    let calls = 0;
    for (let matching: Matching | undefined; !matching; calls++) {
      const end = performance.now() + 10;
      matching = await mirror.match(slow, () => end - performance.now());
      if (matching) expect(checked(matching)).toEqual(['i7']);
      expect(calls).toBeLessThan(60);
    }
    expect(calls).toBeGreaterThan(2);
  });

  test('that is over asks for nothing', async () => {
    const dataset = await newItems(fixture);
    const mirrors = newMirrors(fixture.db);
    await match(mirrors, dataset);
    expect(await mirrors.match(placeOf(dataset), red, () => 0)).toBeUndefined();
  });
});
