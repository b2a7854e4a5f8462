/** Fits next to the labels in a terminal with 80 columns. */
const maxBarWidth = 40;

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** One line per bin: its bounds, a bar relative to the largest bin, and its count. */
export function histogram(bins: readonly Bin[]): string {
  const largest = Math.max(1, ...bins.map(({ count }) => count));
  return bins
    .map(({ from, to, count }) => {
      // A bin that is not empty always has a visible bar.
      const length = count === 0 ? 0 : Math.max(1, Math.round((count / largest) * maxBarWidth));
      return `${bound(from)} to ${bound(to)} ${'█'.repeat(length).padEnd(maxBarWidth)} ${count.toLocaleString('en')}`;
    })
    .join('\n');
}

const bound = (value: number) => value.toFixed(3);
