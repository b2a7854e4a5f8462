import { describe, expect, test } from 'vitest';
import { bounds } from '../../src/filters/bounds.ts';
import { compileFilter } from '../../src/filters/compile-filter.ts';
import { CallBudget } from '../../src/serving/call-budget.ts';

const tags = Array.from({ length: 350 }, (_, tag) => tag);
const item = {
  tags,
  title: 'a'.repeat(50_000),
  needle: 'b'.repeat(500),
  names: tags.map((tag) => `tag ${tag}`),
};
const long = () => 60_000;

const budgetOf = (steps: number, leftMs = long) => new CallBudget('a tenant', leftMs, { steps });

/** How many items are evaluated before the steps run out. */
async function evaluated(text: string, steps: number): Promise<number> {
  const filter = compileFilter(text);
  const budget = budgetOf(steps);
  let items = 0;
  const isDone = await budget.forEach(() => {
    items++;
    filter.matches(item, 'id', budget);
    return true;
  });
  expect({ isDone, exhausted: budget.exhausted }).toEqual({ isDone: false, exhausted: 'steps' });
  return items;
}

describe('the budget of a call', () => {
  test.each([
    ['loops in loops', 'item.tags.exists(a, item.tags.exists(b, a + b == -1))', 100_000],
    ['lists looked through in loops', 'size(item.tags.filter(t, t in item.tags)) == 0', 60_000],
    ['patterns', 'item.title.matches("(a|b)*c")', 30_000],
    ['texts looked for', 'item.title.contains(item.needle)', 90_000],
    ['texts made', 'item.title + item.needle == item.title', 3000],
    ['texts compared', 'item.title < item.title', 50_000],
    ['texts counted', 'size(item.title) == 1', 50_000],
    ['texts looked up', 'item.title in ["a", "b"]', 3000],
    ['lists made', 'size(item.tags.map(t, t + 1)) == 0', 1000],
    ['lists joined', 'size(item.names + item.names) == 0', 700],
    ['arithmetic', `${'item.a + '.repeat(50)}1 == 1`, 100],
  ])('is charged the cost of each item: %s', async (_, text, minSteps) => {
    const steps = 2_000_000;
    expect(await evaluated(text, steps)).toBeLessThanOrEqual(steps / minSteps + 1);
  });

  test('is never charged more for one item than the limit per item', () => {
    const spent: number[] = [];
    const filter = compileFilter('item.title.contains(item.title) || item.tags.exists(a, a in item.tags)');
    filter.matches(item, 'id', { spend: (steps) => spent.push(steps) });
    expect(spent[0]).toBeLessThanOrEqual(bounds.steps + bounds.nodes);
  });

  test('also ends with the time', async () => {
    let left = 3;
    const budget = budgetOf(1e9, () => left--);
    const isDone = await budget.forEach(() => {
      budget.spend(10_000);
      return true;
    });
    expect({ isDone, exhausted: budget.exhausted }).toEqual({ isDone: false, exhausted: 'time' });
  });

  test('is shared with its sub-budgets', async () => {
    const budget = budgetOf(1000);
    const part = budget.share(0.5);
    part.spend(600);
    expect({ part: part.exhausted, whole: budget.exhausted }).toEqual({ part: 'steps', whole: undefined });
    budget.spend(400);
    expect(budget.exhausted).toBe('steps');
    expect(await budgetOf(10).forEach(() => false)).toBe(true);
  });
});
