import type { Queryable } from '../../kernel/postgres/pool.ts';
import { count, none, one, some, value } from '../../kernel/postgres/statement.ts';

/** A project whose events are to be attributed to its answers. */
export interface OutcomeState {
  readonly project_key: number;
  readonly account_id: string;
  readonly project_id: string;
  readonly target_event_type: string;
  readonly attribution_hours: number;
  readonly event_value_max: number | null;
  /** Whether the last run counted by the same hours and maximum. False before the first. */
  readonly has_same_rules: boolean;
  readonly events: { readonly dataset_key: number; readonly kind: 'event'; readonly partition: number };
  /** The days whose events changed since the last run: bits by day number modulo 64, as text. */
  readonly changed_days: string;
  /** The number of the run. */
  readonly run: number;
}

/** Call it in the transaction that inserts the first answers of a project. */
export const insertOutcomeStates = none<[projectKeys: readonly number[]]>(
  'insert_outcome_states',
  `INSERT INTO outcome_states (project_key) SELECT p.project_key FROM projects p WHERE p.project_key = ANY($1::int[])
    ON CONFLICT DO NOTHING`,
);

/** The project that has waited longest, of any account, for `seconds`. */
export const claimOutcomeState = value<[seconds: number], number>(
  'claim_outcome_state',
  `UPDATE outcome_states SET due_at = clock_timestamp() + $1 * interval '1 second'
    WHERE project_key = (SELECT s.project_key FROM outcome_states s
      WHERE s.due_at <= clock_timestamp() ORDER BY s.due_at LIMIT 1 FOR UPDATE OF s SKIP LOCKED)
    RETURNING project_key`,
);

/** Ends the claim of a run that failed: it is repeated after `seconds` at the latest. */
export const retryOutcomeState = none<[projectKey: number, seconds: number]>(
  'retry_outcome_state',
  `UPDATE outcome_states SET due_at = least(due_at, clock_timestamp() + $2 * interval '1 second') WHERE project_key = $1`,
);

/** How long ago the events of the project that waits longest were attributed. By outcome_states_by_age. */
export const findAttributionAge = count<[]>(
  'find_attribution_age',
  `SELECT greatest(0, extract(epoch FROM now() - coalesce(attributed_at, due_at)))::float8 AS seconds FROM outcome_states s
    ORDER BY coalesce(attributed_at, due_at) LIMIT 1`,
);

const collectChangedDays = none<[projectKey: number]>(
  'collect_changed_days',
  `WITH dataset AS (SELECT event_dataset_key AS key FROM projects WHERE project_key = $1),
    slots AS (
      SELECT c.slot, c.changed_days FROM dataset_counts c, dataset WHERE c.dataset_key = dataset.key AND c.changed_days <> 0
      ORDER BY c.slot FOR UPDATE),
    reset AS (
      UPDATE dataset_counts c SET changed_days = 0 FROM dataset, slots
      WHERE c.dataset_key = dataset.key AND c.slot = slots.slot)
    UPDATE outcome_states s SET changed_days = s.changed_days | coalesce((SELECT bit_or(changed_days) FROM slots), 0)
      FROM projects p, dataset WHERE s.project_key = p.project_key AND p.event_dataset_key = dataset.key`,
);

const takeCollected = one<[projectKey: number], OutcomeState>(
  'take_changed_days',
  `WITH taken AS (
      UPDATE outcome_states SET taken_days = taken_days | changed_days, changed_days = 0, run = run + 1 WHERE project_key = $1 RETURNING *
    ) SELECT p.project_key, p.account_id, p.project_id, p.target_event_type, p.attribution_hours, p.event_value_max,
      (taken.attribution_hours, taken.event_value_max) IS NOT DISTINCT FROM (p.attribution_hours, p.event_value_max) AS has_same_rules,
      taken.taken_days::text AS changed_days, taken.run,
      json_build_object('dataset_key', e.dataset_key, 'kind', e.kind, 'partition', e.partition) AS events
    FROM taken JOIN projects p USING (project_key) JOIN datasets e ON e.dataset_key = p.event_dataset_key`,
);

/**
 * Takes the days whose events changed. Days that were taken and not finished are taken again. Events read after the
 * transaction include all these changes. The dataset's days go to all projects that use it.
 */
export async function takeChangedDays(tx: Queryable, projectKey: number): Promise<OutcomeState | undefined> {
  await collectChangedDays(tx, projectKey);
  return takeCollected(tx, projectKey);
}

const finish = some<
  [projectKey: number, hours: number, valueMax: number | null, afterSeconds: number, run: number]
>(
  'finish_outcome_state',
  `UPDATE outcome_states SET taken_days = 0, attribution_hours = $2, event_value_max = $3, attributed_at = clock_timestamp(),
      due_at = clock_timestamp() + $4 * interval '1 second'
    WHERE project_key = $1 AND run = $5 RETURNING project_key`,
);

/** Call it in the transaction that writes the outcomes. Throws if a newer run has started, which includes what this one took. */
export async function finishOutcomeState(
  tx: Queryable,
  { project_key, attribution_hours, event_value_max, run }: OutcomeState,
  afterSeconds: number,
): Promise<void> {
  const isFinished = await finish(tx, project_key, attribution_hours, event_value_max, afterSeconds, run);
  if (!isFinished) throw new Error('a newer run attributes the events of the project');
}
