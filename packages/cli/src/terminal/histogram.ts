/** As many as fit beside the labels in a terminal of 80 columns. */
const widestBar = 40;

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** A line a bin: its bounds, a bar as long as its share of the largest, and its count. */
export function histogram(bins: readonly Bin[]): string {
  const largest = Math.max(1, ...bins.map(({ count }) => count));
  return bins
    .map(({ from, to, count }) => {
      // A bin that holds anybody at all is seen.
      const length = count === 0 ? 0 : Math.max(1, Math.round((count / largest) * widestBar));
      return `${bound(from)} to ${bound(to)} ${'█'.repeat(length).padEnd(widestBar)} ${count.toLocaleString('en')}`;
    })
    .join('\n');
}

const bound = (value: number) => value.toFixed(3);
