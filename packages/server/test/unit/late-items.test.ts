import type { RecommendOptions } from '@tastegraph/algorithms';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderTexts } from '../../src/filters/value.ts';
import { CallBudget } from '../../src/serving/call-budget.ts';
import { ItemTable } from '../../src/serving/catalogue/item-table.ts';
import { LateTable, type LateView, maxScored } from '../../src/serving/catalogue/late-items.ts';
import { Candidates } from '../../src/serving/search/candidates.ts';

const budget = () => new CallBudget('acc', () => 60_000);
const featuresOf = (attributes: Readonly<Record<string, unknown>>) =>
  Uint32Array.from(attributes['values'] as number[]);
const itemNumbers = new Map([
  ['k1', 0],
  ['k2', 1],
]);
const model = { itemNumbers, featuresOf };

const featuresIn = ({ ids, scored }: LateView) =>
  ids.map((id, place) => [
    id,
    [...(scored?.feature.subarray(scored.offsets[place], scored.offsets[place + 1]) ?? [])],
  ]);

test('after any changes, the view has exactly the items that the model does not know, with their features', async () => {
  const ids = fc.constantFrom('k1', 'k2', 'a', 'b', 'B', 'ba', 'é', 'z', '\u{1f600}', '\uffff');
  const change = fc.record({
    id: ids,
    values: fc.option(fc.array(fc.nat(9), { maxLength: 3 })),
    isSeen: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 40 }), async (changes) => {
      const table = new ItemTable();
      const late = new LateTable(table);
      const expected = new Map<string, number[]>();
      const views: { view: LateView; before: unknown }[] = [];
      for (const { id, values, isSeen } of changes) {
        if (values) table.set(id, { values: [...values] }, 10);
        else table.remove(id);
        late.change(id);
        if (itemNumbers.has(id) || !values) expected.delete(id);
        else expected.set(id, values);
        if (!isSeen) continue;
        const view = await late.update(model, budget());
        expect(view).toBeDefined();
        if (!view) return;
        const sorted = [...expected].toSorted(([one], [other]) => orderTexts(one, other));
        expect(featuresIn(view)).toEqual(sorted);
        views.push({ view, before: featuresIn(view) });
      }
      // A call keeps the view that it began with.
      for (const { view, before } of views) expect(featuresIn(view)).toEqual(before);
    }),
    { numRuns: 300 },
  );
});

test('a budget that runs out is continued by the next update', async () => {
  const table = new ItemTable();
  for (let item = 0; item < 500; item++) table.set(`n${item}`, { values: [item] }, 10);
  const late = new LateTable(table);
  let updates = 0;
  let view: LateView | undefined;
  while (!view && updates < 100) {
    view = await late.update(model, new CallBudget('acc', () => 60_000, { steps: 20_000 }));
    updates++;
  }
  expect(updates).toBeGreaterThan(2);
  expect(view?.ids).toHaveLength(500);
});

test('only so many items are scored; when one of them goes, the next one is', async () => {
  const table = new ItemTable();
  const idOf = (item: number) => `n${String(item).padStart(6, '0')}`;
  for (let item = 0; item < maxScored + 10; item++) table.set(idOf(item), { values: [item] }, 10);
  const late = new LateTable(table);
  const plenty = () => new CallBudget('acc', () => 60_000, { steps: 1e9 });
  const before = await late.update(model, plenty());
  expect([before?.ids.length, before?.scored?.count]).toEqual([maxScored + 10, maxScored]);
  table.remove(idOf(5));
  late.change(idOf(5));
  await late.update(model, plenty());
  const after = await late.update(model, plenty());
  const { scored } = after ?? {};
  expect([after?.ids.length, scored?.count]).toEqual([maxScored + 9, maxScored]);
  expect(scored?.feature[scored.offsets[maxScored - 1] ?? 0]).toBe(maxScored);
});

test('a model that cannot score them has their IDs only', async () => {
  const table = new ItemTable();
  table.set('a', { values: [1] }, 10);
  const view = await new LateTable(table).update({ itemNumbers, featuresOf: undefined }, budget());
  expect(view).toEqual({ ids: ['a'], scored: undefined });
});

test('candidates name late items by their IDs and ask whether those are eligible', () => {
  const late: LateView = {
    ids: ['a', 'b'],
    scored: { count: 2, offsets: Uint32Array.of(0, 1, 2), feature: Uint32Array.of(7, 8) },
  };
  const scorer = {
    recommend: (_: unknown, options: RecommendOptions) => {
      expect(options.late).toBe(late.scored);
      return [2, 1, 3, 0]
        .filter((item) => !options.masked?.(item))
        .map((item) => ({ item, score: 1, isFilled: false }));
    },
    explain: () => [],
  };
  const user = {
    events: { item: new Uint32Array(0), type: new Uint8Array(0), value: new Float32Array(0) },
    attributes: [],
  };
  const source = new Candidates({ scorer, itemIds: ['k1', 'k2'] }, user, { late });
  expect(source.lateCount).toBe(2);
  const found = source.next(10, (id, number) => (number === undefined ? id !== 'b' : number === 1));
  expect(found.map(({ itemId, number, late: own }) => [itemId, number, own?.number])).toEqual([
    ['a', undefined, 2],
    ['k2', 1, undefined],
  ]);
});
