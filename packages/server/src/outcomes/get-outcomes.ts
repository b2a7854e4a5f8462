import { limits, type Request, type Response } from '@tastegraph/contract';
import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { dayMs, dayOf, splitVariantKey } from './log/keys.ts';
import {
  findAttributed,
  listOutcomes,
  listVisits,
  type OutcomeRow,
  outcomeSums,
  type VisitRow,
  visitSums,
} from './rows/outcomes.ts';

type Outcomes = Response<'getOutcomes'>;

const defaultDays = 30;

/** The outcomes of a project's answers by day, and over all days. */
export async function getOutcomes(
  { db, accountId }: Context,
  { project_id: projectId, scenario, since_ts, until_ts }: Request<'getOutcomes'>,
): Promise<Outcomes> {
  const attributed = await findAttributed(db, accountId, projectId);
  if (!attributed) throw notFound('Project', projectId);
  const today = dayOf(Date.now());
  const query = {
    accountId,
    projectId,
    fromDay: since_ts === undefined ? today - defaultDays + 1 : dayOf(since_ts),
    // Events may be ahead of our clock.
    toDay: until_ts === undefined ? today + 1 : dayOf(until_ts - 1),
  };
  const rows = await listOutcomes(db, query, scenario, limits.outcomeDays);
  const visits = await listVisits(db, query);
  const byKey = Map.groupBy(rows, (row) => JSON.stringify([row.scenario, row.model_id, row.variant]));
  return {
    project_id: projectId,
    ...attributed,
    days: rows.map((row) => ({ day: nameOf(row.day), ...outcomeOf(row) })),
    totals: [...byKey.keys()].toSorted().flatMap((key) => {
      const same = byKey.get(key) ?? [];
      const [first] = same;
      return first ? [outcomeOf({ ...first, ...addUp(outcomeSums, same) })] : [];
    }),
    with_recommendation: visitsOf(visits.filter((row) => row.is_recommended)),
    without_recommendation: visitsOf(visits.filter((row) => !row.is_recommended)),
  };
}

const visitsOf = (rows: readonly VisitRow[]): Outcomes['with_recommendation'] => ({
  days: rows.map((row) => ({ day: nameOf(row.day), ...visitOf(row) })),
  total: visitOf(addUp(visitSums, rows)),
});

const nameOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

function outcomeOf(row: Omit<OutcomeRow, 'day'>): Outcomes['totals'][number] {
  return {
    scenario: row.scenario,
    model_id: row.model_id === '' ? null : row.model_id,
    ...splitVariantKey(row.variant),
    answers: sumOf(row.answers),
    clicked: measure('share', row.clicked, row.answers),
    converted: measure('share', row.converted, row.answers),
    target_events: measure('count', row.target_events, row.answers),
    value: measure('sum', row.value, row.answers),
  };
}

function visitOf(sums: Pick<VisitRow, (typeof visitSums)[number]>): Outcomes['with_recommendation']['total'] {
  return {
    visits: sumOf(sums.visits),
    converted: measure('share', sums.converted, sums.visits),
    target_events: measure('count', sums.target_events, sums.visits),
    value: measure('sum', sums.value, sums.visits),
  };
}

/** The sums of several rows, by group. */
function addUp<Name extends string>(
  names: readonly Name[],
  rows: readonly Readonly<Record<Name, readonly number[]>>[],
): Record<Name, number[]> {
  const sums = names.map((name) => [name, addGroups(rows.map((row) => row[name]))]);
  return Object.fromEntries(sums) as Record<Name, number[]>;
}

/** A total, its rate per unit, and the 95 % interval of the rate. */
interface Measure {
  readonly total: number;
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Two-sided, 95 %: of the normal distribution, and of Student's with 63 degrees of freedom (64 groups of users). */
const z = 1.959964;
const t = 1.998341;

/** `share` is at most one per unit, `count` any whole number, `sum` any number. */
type Kind = 'share' | 'count' | 'sum';

const sumOf = (groups: readonly number[]): number => groups.reduce((sum, one) => sum + one, 0);

/**
 * The rate of `events` per `units`, from sums by group. All units of a user are in one group, so the spread between groups shows
 * the chance variation even if a user's units are alike (delta method, groups as clusters). For few events it says little: a
 * share or a count never has a narrower interval than independent units would (Wilson's, and the score interval of Poisson).
 */
function measure(kind: Kind, events: readonly number[], units: readonly number[]): Measure {
  const [total, count] = [sumOf(events), sumOf(units)];
  if (count === 0) return { total, rate: null, low: null, high: null };
  const rate = total / count;
  const groups = units.length;
  const squares = units.reduce((sum, unit, group) => sum + ((events[group] ?? 0) - rate * unit) ** 2, 0);
  const filled = units.filter((unit) => unit > 0).length;
  const error = (t * Math.sqrt((groups / (groups - 1)) * squares)) / count;
  const spread = filled < 2 ? undefined : { low: Math.max(0, rate - error), high: rate + error };
  if (kind === 'sum') return { total, rate, low: spread?.low ?? null, high: spread?.high ?? null };
  const alone = kind === 'share' ? wilson(total, count) : poisson(total, count);
  return {
    total,
    rate,
    low: Math.min(alone.low, spread?.low ?? alone.low),
    high: Math.max(alone.high, Math.min(spread?.high ?? 0, kind === 'share' ? 1 : Number.POSITIVE_INFINITY)),
  };
}

function wilson(total: number, count: number): { low: number; high: number } {
  const rate = total / count;
  const middle = (rate + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
  const half =
    (z / (1 + z ** 2 / count)) * Math.sqrt((rate * (1 - rate)) / count + z ** 2 / (4 * count ** 2));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

function poisson(total: number, count: number): { low: number; high: number } {
  const half = z * Math.sqrt(total + z ** 2 / 4);
  return { low: Math.max(0, (total + z ** 2 / 2 - half) / count), high: (total + z ** 2 / 2 + half) / count };
}

/** Adds up sums by group. */
function addGroups(rows: readonly (readonly number[])[]): number[] {
  const length = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length }, (_, group) => rows.reduce((sum, row) => sum + (row[group] ?? 0), 0));
}
