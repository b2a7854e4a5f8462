import { describe, expect, test } from 'vitest';
import { buildMatrix, type Matrix } from '../src/g1/data/matrix.ts';
import { emptySupport, findSupport } from '../src/g1/fit/support.ts';
import { type Interactions, sequential, TopK } from '../src/index.ts';
import { eventsOf, syntheticData, syntheticEvents } from './synthetic-data.ts';

const plain = (events: Interactions) => buildMatrix(events, { typeWeights: [1] }, sequential);
const { events, ...attributes } = syntheticData();

describe.each<[name: string, matrix: Promise<Matrix>]>([
  ['a long tail', plain(syntheticEvents({ users: 200, items: 80, perUser: 12 }))],
  // Sources that occur with far more items than are kept: most of them are dropped before the selection.
  ['many items', plain(syntheticEvents({ users: 300, items: 3000, perUser: 40 }))],
  [
    'two event types and attributes',
    buildMatrix(events, { typeWeights: [1, 0.5], ...attributes }, sequential),
  ],
  ['items that all are equal', plain(eventsOf([Array.from({ length: 60 }, (_, item) => (item * 17) % 60)]))],
  ['users who share nothing', plain(eventsOf([[3, 1], [2, 0], [4]], { items: 7 }))],
])('the support of %s', (_, built) => {
  test.each([1, 5, 20, 200])('at K = %i equals that of a heap over all pairs', async (k) => {
    const matrix = await built;
    const support = emptySupport(matrix.tokens, k);
    await findSupport(matrix, support, sequential);
    for (let source = 0; source < matrix.tokens; source++) {
      const found = support.target.slice(support.offsets[source], support.offsets[source + 1]);
      expect(found.sort()).toEqual(referenceSupport(matrix, source, k).sort());
    }
  });
});

/** One source's row of the co-occurrence in plain TypeScript, and the best of it by a heap. */
function referenceSupport(matrix: Matrix, source: number, k: number): Uint32Array {
  const raw = new Map<number, number>();
  for (let cell = matrix.columnOffsets[source]!; cell < matrix.columnOffsets[source + 1]!; cell++) {
    const row = matrix.columnRow[cell]!;
    const degree = matrix.rowDegree[row]!;
    if (degree === 0) continue;
    const weight = matrix.columnWeight[cell]! * Math.fround(degree ** -0.6);
    for (let place = matrix.offsets[row]!; place < matrix.offsets[row + 1]!; place++) {
      const other = matrix.item[place]!;
      raw.set(other, (raw.get(other) ?? 0) + weight * matrix.target[place]!);
    }
  }
  raw.delete(source);
  const best = new TopK(k);
  for (const [other, sum] of raw)
    best.offer(other, Math.fround(sum * Math.fround(Math.max(1, matrix.degree[other]!) ** -0.2)));
  return best.indices.slice(0, best.size);
}
