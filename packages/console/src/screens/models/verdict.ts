import { formatPercent } from '../../format.ts';
import type { Estimate } from '../../use/models.ts';

interface Verdict {
  readonly text: string;
  /** Whether the intervals are apart. */
  readonly isCertain: boolean;
}

/** Whether one value is better than another, in words. Where the intervals overlap, it may be chance. */
export function verdictOf(one: Estimate, other: Estimate): Verdict {
  if (one.low > other.high) {
    const times = one.value / other.value;
    const how = Number.isFinite(times) ? `${times.toFixed(1)} × as high` : formatPercent(one.value, 1);
    return { text: `better: ${how}`, isCertain: true };
  }
  if (one.high < other.low) return { text: 'worse', isCertain: true };
  return { text: 'not certain: the intervals overlap', isCertain: false };
}
