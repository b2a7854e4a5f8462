import { withEnvironment } from '../environment.ts';
import type { Report } from '../report.ts';
import { measureUplift } from './uplift.ts';
import { measureVolume } from './volume.ts';

const full = {
  shop: { users: 50_000, items: 2000, days: 21 },
  volume: { answers: 10_000_000, days: 10, rowsOf: 100_000_000, lookupPercentile: 99 },
};
// Noise of other work on the machine must not miss a goal.
const quick = {
  shop: { users: 4000, items: 2000, days: 21 },
  volume: { answers: 100_000, days: 2, rowsOf: 100_000_000, lookupPercentile: 50 },
};

/** Whether attribution finds the truth, in a shop where it is known; and what the decision log and attribution cost. */
export async function benchOutcomes(isQuick: boolean, parts: readonly string[]): Promise<Report> {
  const sizes = isQuick ? quick : full;
  const isWanted = (part: string) => parts.length === 0 || parts.includes(part);
  const measured = [];
  if (isWanted('uplift'))
    measured.push(await withEnvironment((setting) => measureUplift(setting, sizes.shop), 'all-in-one'));
  if (isWanted('volume'))
    measured.push(await withEnvironment((setting) => measureVolume(setting, sizes.volume)));
  return {
    bench: 'outcomes',
    tables: measured.map(({ title, rows }) => ({ title, rows })),
    goals: measured.flatMap(({ goals }) => goals),
    figures: Object.assign({}, ...measured.map(({ figures }) => figures)) as Record<string, unknown>,
  };
}
