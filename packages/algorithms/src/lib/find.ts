/** The place of an item between `from` and `to`, where numbers ascend. */
export function find(sorted: Uint32Array, from: number, to: number, item: number): number | undefined {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < item) low = middle + 1;
    else high = middle;
  }
  return low < to && sorted[low] === item ? low : undefined;
}
