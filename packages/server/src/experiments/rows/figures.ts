import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { many, none, one } from '../../kernel/postgres/statement.ts';
import type { Figures } from '../figures.ts';
import type { ExperimentRow } from './experiments.ts';

interface StoredFigures {
  /** As the worker has written them; null before the first time. */
  readonly figures: Figures | null;
  readonly measured_ts: number | null;
}

/** By primary key; the caller has checked the account. */
export const findFigures = one<[experimentKey: number], StoredFigures>(
  'find_experiment_figures',
  `SELECT figures, ${epochMs('measured_at')} AS measured_ts FROM experiments WHERE experiment_key = $1`,
);

/** An experiment that a worker measures. */
export interface MeasuredExperiment {
  readonly experiment_key: number;
  readonly experiment_id: string;
  readonly created_ts: number;
  readonly window_hours: number;
  /** Their names, in their order. */
  readonly variants: readonly string[];
}

const measuredColumns = `x.experiment_key, x.experiment_id, ${epochMs('x.created_at')} AS created_ts, x.window_hours,
  ARRAY(SELECT v.name FROM experiment_variants v WHERE v.experiment_key = x.experiment_key ORDER BY v.position) AS variants`;

/** Uses the unique index on experiment_id, then checks the account. */
export const findMeasuredExperiment = one<[accountId: string, experimentId: string], MeasuredExperiment>(
  'find_measured_experiment',
  `SELECT ${measuredColumns} FROM experiments x JOIN projects p USING (project_key)
    WHERE x.experiment_id = $2 AND p.account_id = $1`,
);

/** Those that run, or were stopped less than their window and `lateHours` ago, and were created since `sinceTs`. Uses experiments_by_project. */
export const listMeasuredExperiments = many<
  [projectKey: number, range: { sinceTs: number; lateHours: number; limit: number }],
  MeasuredExperiment
>(
  'list_measured_experiments',
  `SELECT ${measuredColumns} FROM experiments x WHERE x.project_key = $1 AND x.created_at >= to_timestamp($2::float8 / 1000)
      AND (x.stopped_at IS NULL OR clock_timestamp() < x.stopped_at + (x.window_hours + $3) * interval '1 hour')
    ORDER BY x.experiment_key DESC LIMIT $4`,
  (projectKey, { sinceTs, lateHours, limit }) => [projectKey, sinceTs, lateHours, limit],
);

interface JudgedExperiment
  extends Pick<ExperimentRow, 'project_id' | 'experiment_id' | 'name' | 'scenario' | 'metric' | 'verdict'> {
  readonly variants: readonly { readonly name: string; readonly share: number }[];
}

/** Until the transaction ends, no other worker writes its figures. Undefined if it was deleted. */
export const lockFigures = one<[experimentKey: number], JudgedExperiment>(
  'lock_experiment_figures',
  `SELECT p.project_id, x.experiment_id, x.name, x.scenario, x.metric, x.verdict,
      (SELECT jsonb_agg(jsonb_build_object('name', v.name, 'share', v.share) ORDER BY v.position)
        FROM experiment_variants v WHERE v.experiment_key = x.experiment_key) AS variants
    FROM experiments x JOIN projects p USING (project_key) WHERE x.experiment_key = $1 FOR UPDATE OF x`,
);

/** Without a verdict, the one it has stays. The caller holds the lock of `lockFigures`. */
export const updateFigures = none<
  [experimentKey: number, figures: Figures, decided: Pick<ExperimentRow, 'verdict' | 'winner'> | undefined]
>(
  'update_experiment_figures',
  `UPDATE experiments SET figures = $2, measured_at = clock_timestamp(), verdict = coalesce($3, verdict),
      winner = CASE WHEN $3::text IS NULL THEN winner ELSE $4 END,
      decided_at = CASE WHEN $3::text IS NULL THEN decided_at ELSE coalesce(decided_at, clock_timestamp()) END
    WHERE experiment_key = $1`,
  (experimentKey, figures, decided) => [
    experimentKey,
    JSON.stringify(figures),
    decided?.verdict ?? null,
    decided?.winner ?? null,
  ],
);
