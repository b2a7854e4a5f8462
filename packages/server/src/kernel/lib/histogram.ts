/**
 * Upper ends of the steps, in milliseconds; the last step is open. Each is about 1.5 times the previous one, which bounds the
 * error of a percentile. Stored by position: do not change them.
 */
export const boundsMs = [
  1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 5000,
];

export const newHistogram = (): number[] => Array.from({ length: boundsMs.length + 1 }, () => 0);

export function addToHistogram(histogram: number[], ms: number): void {
  // Most calls are fast: a search from the start takes fewer steps than a binary one.
  let step = 0;
  while (step < boundsMs.length && ms > (boundsMs[step] ?? 0)) step++;
  histogram[step] = (histogram[step] ?? 0) + 1;
}

/** The duration that this share of the calls did not exceed, interpolated within its step; null if there are no calls. */
export function percentileOf(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  for (const [step, count] of histogram.entries()) {
    if (count > 0 && below + count >= share * total) {
      const from = boundsMs[step - 1] ?? 0;
      // The last step has no end: its start is what is known.
      const to = boundsMs[step] ?? from;
      const ms = from + ((share * total - below) / count) * (to - from);
      return Math.round(ms * 100) / 100;
    }
    below += count;
  }
  return boundsMs.at(-1) ?? null;
}
