import { orderTexts } from '../../filters/value.ts';
import { Heap } from '../../kernel/lib/heap.ts';
import type { CallBudget } from '../call-budget.ts';

/** Steps for looking up an ID, or comparing two. */
const idSteps = 5;

/**
 * The included IDs in PostgreSQL's order, a few at a time. There may be a whole catalogue of them, of which only the
 * first few are needed: a heap sorts no more than that. Undefined if the budget runs out first.
 */
export async function sortLazily(
  ids: Iterable<string>,
  isIncluded: (id: string) => boolean,
  budget: CallBudget,
): Promise<{ take(count: number): string[] } | undefined> {
  const heap = new Heap<string>(orderTexts);
  const iterator = ids[Symbol.iterator]();
  const isCollected = await budget.forEach(() => {
    const next = iterator.next();
    if (next.done) return false;
    budget.spend(2 * idSteps);
    if (!isIncluded(next.value)) return true;
    budget.spend(2 * idSteps);
    heap.push(next.value);
    return true;
  });
  if (!isCollected) return undefined;
  return {
    take: (count) => {
      const taken: string[] = [];
      for (let id = heap.peek(); id !== undefined && taken.length < count; id = heap.peek()) {
        taken.push(id);
        heap.pop();
      }
      return taken;
    },
  };
}
