import { describe, expect, test } from 'vitest';
import { deleteEntities } from '../../../src/datasets/rows/entities.ts';
import { compileFilter } from '../../../src/filters/compile-filter.ts';
import type { Transaction } from '../../../src/kernel/postgres/pool.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';
import { TrainingFixture } from '../stack/training-fixture.ts';
import { type Items, match, newItems, newMirrors, patient, projectOf, red, write } from './mirror-fixture.ts';

const fixture = perFile(() => TrainingFixture.open(8));

const cheap = compileFilter('item.price < 50 && !("odd" in item.tags)');

/** The matches among committed items, without a mirror. */
async function expected(dataset: Items, filter = red): Promise<string[]> {
  const rows = await select<{ item_id: string; attributes: Record<string, unknown> }>(
    fixture.db,
    'SELECT item_id, attributes FROM items WHERE dataset_key = $1',
    [dataset.dataset_key],
  );
  return rows
    .filter((row) => filter.matches(row.attributes, row.item_id))
    .map((row) => row.item_id)
    .toSorted();
}

/** A transaction that stays open until it is ended explicitly. */
async function open(work: (tx: Transaction) => Promise<unknown>): Promise<() => Promise<void>> {
  const written = Promise.withResolvers<undefined>();
  const ending = Promise.withResolvers<undefined>();
  const ended = fixture.db.transaction(async (tx) => {
    await work(tx);
    written.resolve(undefined);
    await ending.promise;
  });
  await Promise.race([written.promise, ended]);
  return async () => {
    ending.resolve(undefined);
    await ended;
  };
}

/** Deterministic random numbers. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('a mirror', () => {
  test('is absent at first, and then returns the matches', async () => {
    const dataset = await newItems(fixture);
    await write(fixture.db, dataset, { a: { color: 'red' }, b: { color: 'blue' }, c: { color: 'red' } });
    const mirrors = newMirrors(fixture.db);
    expect(await mirrors.match(projectOf(dataset), red, patient())).toBeUndefined();
    expect(await match(mirrors, dataset)).toEqual(['a', 'c']);
    expect(await match(mirrors, dataset, compileFilter('item.item_id == "b"'))).toEqual(['b']);
  });

  test('sees what was written, changed, deleted and written again before the call', async () => {
    const dataset = await newItems(fixture);
    await write(fixture.db, dataset, { a: { color: 'red' }, b: { color: 'red' } });
    const mirrors = newMirrors(fixture.db);
    await match(mirrors, dataset);
    await write(fixture.db, dataset, { a: { color: 'blue' }, c: { color: 'red' } });
    expect(await match(mirrors, dataset)).toEqual(['b', 'c']);
    await deleteEntities(fixture.db, dataset, ['b', 'nothing']);
    expect(await match(mirrors, dataset)).toEqual(['c']);
    await write(fixture.db, dataset, { b: { color: 'red' }, d: { color: 'red' } });
    expect(await match(mirrors, dataset)).toEqual(['b', 'c', 'd']);
  });

  test('sees a transaction when it commits, in whatever order they began', async () => {
    const dataset = await newItems(fixture);
    await write(fixture.db, dataset, { a: { color: 'red' }, b: { color: 'red' } });
    const endFirst = await open((tx) => write(tx, dataset, { first: { color: 'red' } }));
    // Loaded while the first transaction is open, which is therefore older than anything that the mirror has seen.
    const mirrors = newMirrors(fixture.db);
    expect(await match(mirrors, dataset)).toEqual(['a', 'b']);
    const endSecond = await open((tx) => deleteEntities(tx, dataset, ['a']));
    await write(fixture.db, dataset, { third: { color: 'red' } });
    expect(await match(mirrors, dataset)).toEqual(['a', 'b', 'third']);
    await endSecond();
    expect(await match(mirrors, dataset)).toEqual(['b', 'third']);
    await endFirst();
    expect(await match(mirrors, dataset)).toEqual(['b', 'first', 'third']);
  });

  test('does not see what was rolled back', async () => {
    const dataset = await newItems(fixture);
    await write(fixture.db, dataset, { a: { color: 'red' } });
    const mirrors = newMirrors(fixture.db);
    await match(mirrors, dataset);
    const failing = fixture.db.transaction(async (tx) => {
      await write(tx, dataset, { a: { color: 'blue' }, b: { color: 'red' } });
      throw new Error('never mind');
    });
    await expect(failing).rejects.toThrow('never mind');
    expect(await match(mirrors, dataset)).toEqual(['a']);
  });

  test('handles many changes at once', async () => {
    const dataset = await newItems(fixture);
    const mirrors = newMirrors(fixture.db);
    expect(await match(mirrors, dataset)).toEqual([]);
    for (let batch = 0; batch < 45; batch++) {
      const ids = Array.from({ length: 50 }, (_, n) => `${batch % 40}-${n}`);
      await write(fixture.db, dataset, Object.fromEntries(ids.map((id) => [id, { color: 'red', batch }])));
    }
    expect(await match(mirrors, dataset)).toHaveLength(2000);
    expect(await match(mirrors, dataset, compileFilter('item.batch >= 40'))).toHaveLength(250);
  });

  test.each([1, 2, 3])(
    'always equals the committed items (random sequence %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const dataset = await newItems(fixture);
      const mirrors = newMirrors(fixture.db);
      const attributes = () => ({
        color: ['red', 'green', 'blue'][random(3)],
        price: random(1000) / 10,
        ...(random(4) > 0 ? { tags: ['odd', 'even', 'new'].slice(random(3)) } : {}),
        ...(random(8) === 0 ? { nested: { deep: [1, { deeper: null }] }, list: [[1], { a: 1 }, null] } : {}),
      });
      /** Open transactions hold locks on their IDs, so each has its own range. */
      const inFlight = new Map<number, () => Promise<void>>();
      const idsOf = (range: number) => Array.from({ length: 1 + random(30) }, () => `${range}-${random(40)}`);
      for (let step = 0; step < 150; step++) {
        const range = random(10);
        const ids = [...new Set(idsOf(range))];
        const end = inFlight.get(range);
        const items = Object.fromEntries(ids.map((id) => [id, attributes()]));
        if (end) {
          inFlight.delete(range);
          await end();
        } else if (random(4) === 0) {
          await write(fixture.db, dataset, items);
          // Existing items only: inserts would lock a slot of the record count that others wait for.
          const again = Object.fromEntries(ids.map((id) => [id, attributes()]));
          if (inFlight.size < 4) inFlight.set(range, await open((tx) => write(tx, dataset, again)));
        } else if (random(3) === 0) {
          await deleteEntities(fixture.db, dataset, ids);
        } else {
          await write(fixture.db, dataset, items);
        }
        if (random(3) > 0) continue;
        for (const filter of [red, cheap])
          expect(await match(mirrors, dataset, filter)).toEqual(await expected(dataset, filter));
      }
      for (const end of inFlight.values()) await end();
      expect(await match(mirrors, dataset)).toEqual(await expected(dataset));
    },
    60_000,
  );

  test('shows each of many concurrent writers what it has just written', async () => {
    const dataset = await newItems(fixture);
    const mirrors = newMirrors(fixture.db);
    await match(mirrors, dataset);
    const writer = async (name: number) => {
      for (let turn = 0; turn < 25; turn++) {
        const color = turn % 3 === 0 ? 'blue' : 'red';
        await write(fixture.db, dataset, { [`w${name}`]: { color, turn } });
        expect((await match(mirrors, dataset)).includes(`w${name}`)).toBe(color === 'red');
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)));
    expect(await match(mirrors, dataset)).toEqual(await expected(dataset));
  }, 60_000);
});
