import { seededRandom } from '@tastegraph/algorithms';

/** `length` ranks below `count`: rank r is drawn in proportion to 1 / (r + 1), as in Zipf's law. */
export function zipfRanks(count: number, length: number, seed: number): Uint32Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sums[rank] = sum += 1 / (rank + 1);
  const next = seededRandom(seed);
  return Uint32Array.from({ length }, () => firstAtLeast(sums, next() * sum));
}

function firstAtLeast(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
