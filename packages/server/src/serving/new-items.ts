import type { CallBudget } from './call-budget.ts';
import { orderTexts } from './filter/value.ts';

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
  const heap: string[] = [];
  const iterator = ids[Symbol.iterator]();
  const isCollected = await budget.forEach(() => {
    const next = iterator.next();
    if (next.done) return false;
    budget.spend(2 * idSteps);
    if (isIncluded(next.value)) heap.push(next.value);
    return true;
  });
  let from = heap.length >> 1;
  const isHeap =
    isCollected &&
    (await budget.forEach(() => {
      if (from === 0) return false;
      budget.spend(2 * idSteps);
      siftDown(heap, --from);
      return true;
    }));
  if (!isHeap) return undefined;
  return {
    take: (count) => {
      const taken: string[] = [];
      while (taken.length < count) {
        const first = heap[0];
        const last = heap.pop();
        if (first === undefined || last === undefined) break;
        taken.push(first);
        if (heap.length === 0) continue;
        heap[0] = last;
        siftDown(heap, 0);
      }
      return taken;
    },
  };
}

/** Sifts the element at `start` down. */
function siftDown(heap: string[], start: number): void {
  const moved = heap[start];
  if (moved === undefined) return;
  let index = start;
  for (;;) {
    let child = 2 * index + 1;
    const left = heap[child];
    if (left === undefined) break;
    const right = heap[child + 1];
    let first = left;
    if (right !== undefined && orderTexts(right, left) < 0) {
      first = right;
      child++;
    }
    if (orderTexts(moved, first) <= 0) break;
    heap[index] = first;
    index = child;
  }
  heap[index] = moved;
}
