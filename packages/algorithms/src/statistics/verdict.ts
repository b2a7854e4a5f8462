import { type Moments, type SequentialInterval, sequentialInterval } from './confidence-sequence.ts';

type Verdict = 'RUNNING' | 'BETTER' | 'WORSE' | 'INVALID';

export interface ComparedVariant {
  /** Of the variant minus the first one, the control. Undefined while there are too few users. */
  readonly interval: SequentialInterval | undefined;
  readonly verdict: Verdict;
}

/** The probability that any verdict of an experiment without differences is ever wrong. */
const experimentAlpha = 0.05;

/**
 * Compares each variant with the first one. Valid at any time and as often as one likes. With several variants, each comparison gets its part of
 * alpha (Bonferroni), so that the promise is about the experiment as a whole.
 */
export function compareVariants(
  [control, ...treatments]: readonly Moments[],
  isMismatch: boolean,
  alpha = experimentAlpha,
): ComparedVariant[] {
  if (!control) return [];
  return treatments.map((treatment) => {
    const interval = sequentialInterval(control, treatment, alpha / treatments.length);
    return { interval, verdict: isMismatch ? 'INVALID' : judge(interval) };
  });
}

function judge(interval: SequentialInterval | undefined): Verdict {
  if (!interval) return 'RUNNING';
  if (interval.low > 0) return 'BETTER';
  return interval.high < 0 ? 'WORSE' : 'RUNNING';
}
