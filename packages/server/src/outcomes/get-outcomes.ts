import { limits, type Response } from '@tastegraph/contract';
import { notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { addGroups, measure, sumOf } from './intervals.ts';
import { dayMs, dayOf } from './log/keys.ts';
import { splitVariantKey } from './log/variant-key.ts';
import {
  findAttributed,
  listOrganicOutcomes,
  listOutcomes,
  type OrganicRow,
  type OutcomeRow,
} from './rows/outcomes.ts';

type Outcomes = Response<'getOutcomes'>;

const defaultDays = 30;

interface OutcomesRequest {
  readonly scenario?: string | null;
  readonly since_ts?: number | null;
  readonly until_ts?: number | null;
}

/** The outcomes of a project's answers by day, and over all days. */
export async function getOutcomes(
  { db, accountId }: Context,
  projectId: string,
  { scenario, since_ts, until_ts }: OutcomesRequest,
): Promise<Outcomes> {
  const attributed = await findAttributed(db, accountId, projectId);
  if (!attributed) throw notFound('Project', projectId);
  const today = dayOf(Date.now());
  const query = {
    accountId,
    projectId,
    fromDay: since_ts === undefined || since_ts === null ? today - defaultDays + 1 : dayOf(since_ts),
    // Events may be ahead of our clock.
    toDay: until_ts === undefined || until_ts === null ? today + 1 : dayOf(until_ts - 1),
  };
  const rows = await listOutcomes(db, query, scenario ?? undefined, limits.outcomeDays);
  const organic = await listOrganicOutcomes(db, query);
  const byKey = Map.groupBy(rows, (row) => JSON.stringify([row.scenario, row.model_id, row.variant]));
  return {
    project_id: projectId,
    ...attributed,
    days: rows.map((row) => ({ day: nameOf(row.day), ...outcomeOf(row) })),
    totals: [...byKey.keys()].toSorted().flatMap((key) => {
      const [first, ...rest] = byKey.get(key) ?? [];
      return first ? [outcomeOf(addOutcomes(first, rest))] : [];
    }),
    without_recommendation: {
      days: organic.map((row) => ({ day: nameOf(row.day), ...organicOf(row) })),
      total: organicOf(addOrganic(organic)),
    },
  };
}

const nameOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

type Sums = Omit<OutcomeRow, 'day'>;

function outcomeOf({ scenario, model_id, variant, ...sums }: Sums): Outcomes['totals'][number] {
  return {
    scenario,
    model_id: model_id === '' ? null : model_id,
    ...splitVariantKey(variant),
    answers: sumOf(sums.answers),
    clicked: measure('share', sums.clicked, sums.answers),
    converted: measure('share', sums.converted, sums.answers),
    target_events: measure('count', sums.target_events, sums.answers),
    value: measure('sum', sums.value, sums.answers),
  };
}

function organicOf(sums: Omit<OrganicRow, 'day'>): Outcomes['without_recommendation']['total'] {
  return {
    visits: sumOf(sums.visits),
    converted: measure('share', sums.converted, sums.visits),
    target_events: measure('count', sums.target_events, sums.visits),
    value: measure('sum', sums.value, sums.visits),
  };
}

function addOutcomes(first: OutcomeRow, rest: readonly OutcomeRow[]): Sums {
  const rows = [first, ...rest];
  return {
    scenario: first.scenario,
    model_id: first.model_id,
    variant: first.variant,
    answers: addGroups(rows.map((row) => row.answers)),
    clicked: addGroups(rows.map((row) => row.clicked)),
    converted: addGroups(rows.map((row) => row.converted)),
    target_events: addGroups(rows.map((row) => row.target_events)),
    value: addGroups(rows.map((row) => row.value)),
  };
}

function addOrganic(rows: readonly OrganicRow[]): Omit<OrganicRow, 'day'> {
  return {
    visits: addGroups(rows.map((row) => row.visits)),
    converted: addGroups(rows.map((row) => row.converted)),
    target_events: addGroups(rows.map((row) => row.target_events)),
    value: addGroups(rows.map((row) => row.value)),
  };
}
