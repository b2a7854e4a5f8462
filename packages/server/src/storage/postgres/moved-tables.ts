/** How `admin move-account` copies a table of an account. `moved-tables.test.ts` compares the lists with the schema. */
export interface MovedTable {
  readonly table: string;
  /** SQL: which rows belong to the account, whose ID is `$account`. */
  readonly where: string;
  /** Its number, of which the other cell assigns new ones, in the same order. */
  readonly key?: string;
  /** Columns that refer to the number of another table, which is earlier in the list. */
  readonly refs?: Readonly<Record<string, string>>;
  /** SQL of columns that are different in the other cell. `s` is the copied row, and `k.new` its new number. */
  readonly values?: Readonly<Record<string, string>>;
  /** SQL: which of the copied rows are inserted. */
  readonly only?: string;
  /** The other cell may have some of the rows already. */
  readonly mayExist?: boolean;
}

const ofAccount = 'account_id = $account';
const ofProject = `project_key IN (SELECT project_key FROM projects WHERE ${ofAccount})`;
// Those of deleted datasets are being removed.
const ofDataset = `dataset_key IN (SELECT dataset_key FROM datasets WHERE ${ofAccount} AND deleted_at IS NULL)`;
const people = `person_id IN (SELECT person_id FROM memberships WHERE ${ofAccount})`;
/**
 * SQL: the person was copied, now or with another account. Somebody else who has the email in the other cell must not get the role: an
 * owner of an account there may have invited them, and so have chosen their password.
 */
const isPersonThere = 'EXISTS (SELECT FROM people t WHERE t.person_id = s.person_id)';

const project = { project_key: 'projects' };
const dataset = { dataset_key: 'datasets' };
const models = { generator_model_key: 'models', ranker_model_key: 'models' };

/** SQL: the partition that `insertDataset` would choose for a dataset of kind `s.kind` and number `k.new`. */
export const newPartition = `(SELECT remainder FROM generate_series(0, CASE s.kind WHEN 'event' THEN 63 ELSE 15 END) remainder
  WHERE satisfies_hash_partition((s.kind || 's')::regclass, CASE s.kind WHEN 'event' THEN 64 ELSE 16 END, remainder, k.new::int))`;

/** In an order in which a row comes after those that it refers to. */
export const movedTables: readonly MovedTable[] = [
  { table: 'plans', where: `plan = (SELECT plan FROM accounts WHERE ${ofAccount})`, mayExist: true },
  {
    table: 'accounts',
    where: ofAccount,
    // The default project is set when the projects are there.
    values: { default_project_key: 'NULL', moving_to: 'NULL', moved_at: 'NULL' },
  },
  { table: 'api_keys', where: ofAccount },
  { table: 'people', where: people, mayExist: true },
  { table: 'identities', where: people, only: isPersonThere, mayExist: true },
  { table: 'memberships', where: ofAccount, only: isPersonThere },
  {
    table: 'datasets',
    where: `${ofAccount} AND deleted_at IS NULL`,
    key: 'dataset_key',
    values: { partition: newPartition },
  },
  { table: 'dataset_counts', where: ofDataset, refs: dataset },
  { table: 'dataset_sizes', where: ofDataset, refs: dataset },
  { table: 'event_counts', where: ofDataset, refs: dataset },
  {
    table: 'projects',
    where: ofAccount,
    key: 'project_key',
    refs: { user_dataset_key: 'datasets', item_dataset_key: 'datasets', event_dataset_key: 'datasets' },
  },
  { table: 'algorithms', where: ofProject, key: 'algorithm_key', refs: project },
  { table: 'jobs', where: ofAccount, key: 'job_key', refs: project },
  { table: 'models', where: ofProject, key: 'model_key', refs: { ...project, job_key: 'jobs' } },
  { table: 'deployments', where: ofProject, refs: { ...project, ...models } },
  { table: 'past_deployments', where: ofProject, key: 'past_key', refs: { ...project, ...models } },
  { table: 'scenarios', where: ofProject, key: 'scenario_key', refs: project },
  {
    table: 'scenario_versions',
    where: `scenario_key IN (SELECT scenario_key FROM scenarios WHERE ${ofProject})`,
    refs: { scenario_key: 'scenarios' },
  },
  {
    table: 'schedules',
    where: ofProject,
    key: 'schedule_key',
    refs: { ...project, last_job_key: 'jobs', follow_job_key: 'jobs' },
  },
  {
    table: 'experiments',
    where: ofProject,
    key: 'experiment_key',
    refs: { ...project, scenario_key: 'scenarios' },
  },
  {
    table: 'experiment_variants',
    where: `experiment_key IN (SELECT experiment_key FROM experiments WHERE ${ofProject})`,
    refs: { experiment_key: 'experiments', model_key: 'models', ranker_model_key: 'models' },
  },
  { table: 'webhooks', where: ofAccount, key: 'webhook_key' },
  { table: 'webhook_messages', where: ofAccount, key: 'message_key', refs: { webhook_key: 'webhooks' } },
  { table: 'decision_files', where: ofProject, key: 'file_key', refs: project },
  { table: 'attribution_files', where: ofProject, refs: project },
  { table: 'outcome_days', where: ofProject, refs: project },
  { table: 'outcome_states', where: ofProject, refs: project },
  { table: 'outcomes', where: ofProject, refs: project },
  { table: 'erasures', where: ofAccount },
  { table: 'audit_events', where: ofAccount, key: 'event_key' },
  { table: 'call_counts', where: ofAccount },
  { table: 'notices', where: ofAccount },
];

/** Tables of records, which `copy-records.ts` copies one dataset after the other. */
export const recordTables = ['users', 'items', 'events'] as const;

/** Tables that stay, and why. */
export const unmovedTables: Readonly<Record<string, string>> = {
  account_deletions: 'An account that is deleted does not move.',
  console_sessions: 'People sign in again.',
  sign_in_links: 'People get a new link.',
  deployment_trials: 'Only while a deployment runs.',
  trial_reports: 'Only while a deployment runs.',
  job_parts: 'Only while a job runs.',
  training_blocks: 'Only while a training runs.',
  item_changes: "The numbers of the cell's own transactions. Mirrors of the other cell load all items.",
  loose_objects: 'Objects that the cell removes.',
  sorted_batches: 'Parts of the decision log that have answers of all accounts.',
  periodic_tasks: 'Of the cell.',
  schema_migrations: 'Of the cell.',
  secrets: 'Of the cell.',
  servers: 'Of the cell.',
  signing_keys: 'Of the cell.',
  workers: 'Of the cell.',
};
