import { limits } from '@tastegraph/contract';
import { readFiles } from '../kernel/files/duckdb.ts';
import type { Queryable, Transaction } from '../kernel/postgres/pool.ts';
import type { AttributedRun, LoggedFiles } from '../outcomes/attribution/attributed.ts';
import { dayMs, dayOf, variantKey } from '../outcomes/log/keys.ts';
import { type Figures, noSums, type VariantSums } from './figures.ts';
import { judgeExperiment } from './judge-experiment.ts';
import {
  listMeasuredExperiments,
  lockFigures,
  type MeasuredExperiment,
  updateFigures,
} from './rows/figures.ts';

/** How long after its last window a stopped experiment still counts late events. */
const lateHours = 72;
/** The running ones of an account, and as many that were stopped. */
const maxExperiments = 2 * limits.runningExperiments;

/** Computes the figures of experiments whose answers have not expired; those of older ones stay as they are. */
export async function measureAttributed(run: AttributedRun) {
  const range = { sinceTs: run.sinceTs, lateHours, limit: maxExperiments };
  const experiments = await listMeasuredExperiments(run.db, run.projectKey, range);
  const nowMs = Date.now();
  const measured: [number, Figures][] = [];
  for (const experiment of experiments)
    measured.push([experiment.experiment_key, await measureExperiment(run, experiment, nowMs)]);
  return async (tx: Transaction): Promise<void> => {
    for (const [key, figures] of measured) await publishFigures(tx, run, key, figures);
  };
}

/**
 * Sums over the users of each variant, by day. A user takes part from the first answer on, and is measured once the window after
 * it has passed, by its events that were attributed to answers of the experiment. The same data gives the same sums.
 */
async function measureExperiment(
  files: LoggedFiles,
  experiment: MeasuredExperiment,
  nowMs: number,
): Promise<Figures> {
  const windowMs = Math.round(experiment.window_hours * 3600_000);
  await loadAnswers(files, experiment);
  await loadEvents(files, experiment);
  const rows = await files.duck.rows<VariantSums & { day: number; variant: string }>(
    sumsByDay(windowMs, nowMs),
  );
  const names = experiment.variants.map((name) => variantKey(experiment.experiment_id, name));
  const days = new Map<number, VariantSums[]>();
  for (const { day, variant, ...sums } of rows) {
    const variants = days.get(day) ?? names.map(() => noSums);
    days.set(day, variants);
    const index = names.indexOf(variant);
    if (index >= 0) variants[index] = sums;
  }
  return { days: [...days].map(([day, variants]) => ({ day, variants })) };
}

/** Day by day, because a month of answers may be more than the disk has room for. */
async function loadAnswers(
  files: LoggedFiles,
  { experiment_id, created_ts }: MeasuredExperiment,
): Promise<void> {
  const { duck, copies, decisions } = files;
  await duck.run(`CREATE OR REPLACE TABLE experiment_answers (
    user_id VARCHAR, variant VARCHAR, ts BIGINT, recommendation_id VARCHAR, is_fallback BOOLEAN)`);
  const since = decisions.filter(({ day }) => day >= dayOf(created_ts));
  for (const day of new Set(since.map((file) => file.day))) {
    const paths = await copies.paths(since.filter((file) => file.day === day));
    await duck.run(
      `INSERT INTO experiment_answers SELECT user_id, variant, ts, recommendation_id,
          coalesce(list_contains(from_json(detail->'$.degraded', '["VARCHAR"]'), 'variant'), false)
        FROM ${readFiles(paths)} WHERE NOT is_trial AND user_id IS NOT NULL AND starts_with(variant, $prefix)`,
      { prefix: variantKey(experiment_id, '') },
    );
  }
}

/** One row per answer with events, at the time of the first one, and one per target event. */
async function loadEvents(files: LoggedFiles, { created_ts }: MeasuredExperiment): Promise<void> {
  const { duck, copies, attributions } = files;
  await duck.run(
    'CREATE OR REPLACE TABLE experiment_events (recommendation_id VARCHAR, ts BIGINT, is_target BOOLEAN, value DOUBLE)',
  );
  for (const file of attributions) {
    if (file.answer_days.every((day) => day < dayOf(created_ts))) continue;
    const [path] = await copies.paths([file]);
    if (path === undefined) continue;
    const found = `SELECT * FROM ${readFiles([path])}
      WHERE recommendation_id IN (SELECT recommendation_id FROM experiment_answers)`;
    await duck.run(`INSERT INTO experiment_events
      SELECT recommendation_id, first_ts, false, 0 FROM (${found})
      UNION ALL SELECT recommendation_id, target.ts, true, target.value
        FROM (SELECT recommendation_id, unnest(targets) AS target FROM (${found}))`);
  }
}

const sumsByDay = (windowMs: number, nowMs: number) => `WITH exposed AS (
    SELECT user_id, arg_min(variant, ts) AS variant, min(ts) AS ts FROM experiment_answers GROUP BY user_id
  ), measured AS (
    SELECT x.user_id, x.variant, x.ts + ${windowMs} AS ts, count(e.ts) > 0 AS clicked,
      count(e.ts) FILTER (WHERE e.is_target) AS targets, coalesce(round(fsum(e.value) FILTER (WHERE e.is_target), 6), 0) AS value
    FROM exposed x JOIN experiment_answers a USING (user_id)
      LEFT JOIN experiment_events e ON e.recommendation_id = a.recommendation_id AND e.ts <= x.ts + ${windowMs}
    WHERE x.ts + ${windowMs} <= ${nowMs} GROUP BY ALL
  ), sums AS (
    SELECT ts // ${dayMs} AS day, variant, count(*) AS users, 0 AS answers, 0 AS fallbacks, 0 AS measured, 0 AS clicked,
      0 AS converted, 0 AS target_events, 0 AS target_events_squares, 0::DOUBLE AS value, 0::DOUBLE AS value_squares
    FROM exposed GROUP BY 1, 2
    UNION ALL SELECT ts // ${dayMs}, variant, 0, count(*), count(*) FILTER (WHERE is_fallback), 0, 0, 0, 0, 0, 0, 0
    FROM experiment_answers GROUP BY 1, 2
    UNION ALL SELECT ts // ${dayMs}, variant, 0, 0, 0, count(*), count(*) FILTER (WHERE clicked), count(*) FILTER (WHERE targets > 0),
      sum(targets), sum(targets * targets), round(fsum(value), 6), round(fsum(value * value), 6)
    FROM measured GROUP BY 1, 2
  ) SELECT day::INTEGER AS day, variant, sum(users)::DOUBLE AS users, sum(answers)::DOUBLE AS answers, sum(fallbacks)::DOUBLE AS fallbacks,
    sum(measured)::DOUBLE AS measured, sum(clicked)::DOUBLE AS clicked, sum(converted)::DOUBLE AS converted,
    sum(target_events)::DOUBLE AS target_events, sum(target_events_squares)::DOUBLE AS target_events_squares,
    sum(value)::DOUBLE AS value, sum(value_squares)::DOUBLE AS value_squares
  FROM sums GROUP BY 1, 2 ORDER BY 1, 2`;

/** The first verdict is announced, in the same transaction. Later figures change it only if they show that the shares are wrong. */
async function publishFigures(
  tx: Queryable,
  { hooks, accountId }: AttributedRun,
  experimentKey: number,
  figures: Figures,
): Promise<void> {
  const experiment = await lockFigures(tx, experimentKey);
  // It was deleted meanwhile.
  if (!experiment) return;
  const { verdict, winner } = judgeExperiment(experiment, figures);
  const isFirst = experiment.verdict === 'UNDECIDED' && verdict !== 'UNDECIDED';
  const replaces = isFirst || (verdict === 'INVALID' && experiment.verdict !== 'INVALID');
  await updateFigures(tx, experimentKey, figures, replaces ? { verdict, winner } : undefined);
  if (!isFirst) return;
  const { project_id, experiment_id, name, scenario } = experiment;
  const data = { project_id, experiment_id, name, scenario, verdict, winner };
  await hooks.announce(tx, accountId, 'experiment.decided', data);
}
