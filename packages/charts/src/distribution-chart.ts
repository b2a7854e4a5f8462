import { baseOption, type Chart } from './chart.ts';
import { printable, users } from './texts.ts';

/** How many users make how much use of one value of one item attribute. */
export interface Distribution {
  readonly attribute: string;
  readonly value: string | number | boolean;
  /** Where bins begin and end, as shares from 0 to 1, ascending: one more than there are counts. */
  readonly edges: readonly number[];
  /** Users in each bin. */
  readonly counts: readonly number[];
  /** All users asked about; more than the counts' sum where some have no usage that could be told. */
  readonly userCount: number;
  /** The median usage, where it is known better than by the bin it lies in. */
  readonly median?: number;
  readonly modelName?: string;
}

/** A histogram, made to be pasted into a report. */
export function distributionChart(distribution: Distribution): Chart {
  const title = `How much users lean to ${printable(distribution.attribute, 40)} = ${printable(String(distribution.value), 40)}`;
  const description = users(distribution.userCount);
  return { title, description, width: 960, height: 540, option: baseOption(title, description) };
}
