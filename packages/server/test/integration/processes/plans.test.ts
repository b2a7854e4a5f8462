import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { lockPlanUse } from '../../../src/accounts/rows/accounts.ts';
import { listAuditEventRows } from '../../../src/audit/rows.ts';
import { listJobParts, listRecordedUsers, orphanJobParts } from '../../../src/batches/rows.ts';
import {
  findDataset,
  listDatasets,
  markDatasetDeleted,
  updateDataset,
} from '../../../src/datasets/rows/datasets.ts';
import {
  deleteEntities,
  entityRow,
  listEntityIds,
  upsertEntities,
} from '../../../src/datasets/rows/entities.ts';
import {
  deleteEventsBetween,
  deleteUserEvents,
  eventRow,
  listEventIds,
  upsertEvents,
} from '../../../src/datasets/rows/events.ts';
import { deleteOldItemChanges, readItemChanges } from '../../../src/datasets/rows/item-changes.ts';
import {
  claimDeletedDataset,
  claimExpiringDataset,
  deleteDatasetRow,
  deleteRecordsAfter,
  updateRetentionDue,
} from '../../../src/datasets/rows/purge.ts';
import {
  findEntity,
  findEvent,
  listEntities,
  listEventsById,
  listUserEvents,
} from '../../../src/datasets/rows/record-reads.ts';
import { listPendingTrials } from '../../../src/deployments/rows.ts';
import { countWaitingJobs } from '../../../src/jobs/rows/jobs.ts';
import { expireResults } from '../../../src/jobs/rows/results.ts';
import { oldJobs } from '../../../src/jobs/rows/retention.ts';
import type { Queryable } from '../../../src/kernel/postgres/pool.ts';
import { findApiKey, listApiKeyStates, listApiKeys, listWriteKeys } from '../../../src/keys/rows.ts';
import { listDeployedModels } from '../../../src/models/rows.ts';
import { listCrowdedDays } from '../../../src/outcomes/rows/decision-files.ts';
import { findAttributionAge } from '../../../src/outcomes/rows/outcome-states.ts';
import { oldModels } from '../../../src/projects/rows/retention.ts';
import { readItems, readItemsAfter } from '../../../src/serving/rows/item-reads.ts';
import { readItemTakers, readTakenItems } from '../../../src/serving/rows/item-takers.ts';
import { readKnownUsers } from '../../../src/serving/rows/serving-reads.ts';
import { listActiveUsers, readUserStates } from '../../../src/serving/rows/user-states.ts';
import { countEvents } from '../../../src/trends/rows.ts';
import { keysInFirstPartition, nodesOf, openOwnDatabase, type PlanNode } from '../stack/database.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';

const own = perFile(openOwnDatabase);
/** Five datasets that share a partition, of each kind. */
const keys = perFile(async () => ({
  event: await keysInFirstPartition(own.db, 'events'),
  item: await keysInFirstPartition(own.db, 'items'),
}));

/** The nodes of the plans that the statements of `act` get: once planned for all values, once for these. */
async function plansOf(act: (db: Queryable) => Promise<unknown>): Promise<PlanNode[]> {
  const nodes: PlanNode[] = [];
  await own.db.transaction(async (tx) => {
    const run = (text: string) => tx.rows<{ 'QUERY PLAN': { Plan: PlanNode }[] }>({ name: '', text }, []);
    await act({
      async rows<Row>({ text }: { text: string }, values: readonly unknown[]): Promise<Row[]> {
        await run(`PREPARE probe AS ${text}`);
        for (const mode of ['force_generic_plan', 'force_custom_plan']) {
          await run(`SET LOCAL plan_cache_mode = ${mode}`);
          const execute = `EXECUTE probe${values.length > 0 ? `(${values.map(literal).join()})` : ''}`;
          const [row] = await run(`EXPLAIN (FORMAT JSON) ${execute}`);
          nodes.push(...(row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => nodesOf(Plan)));
        }
        await run('DEALLOCATE probe');
        return [];
      },
    });
  });
  return nodes;
}

/** The nodes of the plans that a function's statements get, as `auto_explain` sees them: planned for all values, and for these. */
async function plansInside(call: string): Promise<PlanNode[]> {
  const client = new pg.Client({
    connectionString: own.url,
    options: '-c enable_seqscan=off -c jit=off',
  });
  const plans: PlanNode[] = [];
  client.on('notice', ({ message = '' }) => {
    const plan = /plan:\n(\{.*)/s.exec(message)?.[1];
    if (plan !== undefined) plans.push((JSON.parse(plan) as { Plan: PlanNode }).Plan);
  });
  await client.connect();
  try {
    await client.query("LOAD 'auto_explain'");
    await client.query(`SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
      SET auto_explain.log_format = json; SET auto_explain.log_level = notice`);
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await client.query(`SET plan_cache_mode = ${mode}`);
      await client.query(`SELECT ${call}`);
    }
  } finally {
    await client.end();
  }
  return plans.flatMap(nodesOf);
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((part) => JSON.stringify(part)).join()}}`);
  return pg.escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
}

/** The indexes the plans use, each once, and whether they are read from end to end; and how tables are read otherwise. */
function waysOf(nodes: readonly PlanNode[]): string[] {
  const ways = nodes.flatMap((node) => {
    if (node['Index Name'])
      return [node['Index Cond'] === undefined ? `all of ${node['Index Name']}` : node['Index Name']];
    const arbiters = node['Conflict Arbiter Indexes'] ?? [];
    if (
      /Scan$/.test(node['Node Type']) &&
      node['Relation Name'] &&
      node['Node Type'] !== 'Bitmap Heap Scan'
    ) {
      return [...arbiters, `${node['Node Type']} on ${node['Relation Name']}`];
    }
    return arbiters;
  });
  return [...new Set(ways)].toSorted();
}

const ids = Array.from({ length: 1000 }, (_, n) => `id-${n * 7}`);
const event = { event_id: 'x', user_id: 'u', item_id: 'i', ts: 1, event_type: 'view' };
const events = () => ({ dataset_key: keys.event[2] ?? 0, kind: 'event', partition: 0 }) as const;
const expiring = () => ({
  ...events(),
  dataset_id: 'eds_5',
  account_id: 'acc_5',
  from_ts: 0,
  before_ts: 1e12,
});
const items = () => ({ dataset_key: keys.item[2] ?? 0, kind: 'item', partition: 0 }) as const;

/** As much of it as the statement looks at. */
const served = () => ({
  project_key: 1,
  project_id: 'prj_5',
  account_id: 'acc_5',
  target_event_type: 'view',
  users: { id: 'uds_5', key: keys.item[2] ?? 0, partition: 0, table: 'users_p00' },
  items: { id: 'ids_5', key: keys.item[2] ?? 0, partition: 0, table: 'items_p00' },
  events: { id: 'eds_5', key: keys.event[2] ?? 0, partition: 0, table: 'events_p00' },
});

/** A plan has no rows, and some statements always do. */
const noRows = () => undefined;
const position = { snapshot: '900:1000:950', upTo: '900:1000:950', server: 0, readAt: 0, vectors: [] };

const pageSize = { limit: 500, bytes: 4e6 };
const idRange = { from: 'id-5', before: 'id-6' };
const place = { ts: 500, item_id: 'i-500', event_type: 'view', event_id: 'id-500' };

const byUser = 'events_p00_dataset_key_user_id_ts_item_id_event_type_event__idx';
const byTs = 'events_p00_dataset_key_ts_idx';
const counts = 'dataset_counts_pkey';
const eventsKey = 'events_p00_pkey';
const eventsTid = 'Tid Scan on events_p00';
const itemsKey = 'items_p00_pkey';
const itemsTid = 'Tid Scan on items_p00';
const datasetsId = 'datasets_dataset_id_key';
const planOfAccount = ['accounts_pkey', 'plans_pkey'];
/** What keeps a model, and what keeps a job. */
const usesOfModels = [
  'deployments_by_generator',
  'deployments_by_ranker',
  'experiment_variants_by_model',
  'experiment_variants_by_ranker',
  'models_by_project',
  'past_deployments_by_generator',
  'past_deployments_by_ranker',
  'schedules_by_project',
];
const usesOfJobs = ['models_job_key_key', 'schedules_by_last_job', 'schedules_following'];

const changes = { name: 'x', numShards: undefined, attributeSchema: null, retentionDays: 30 };
const taken = { itemIds: ['a', 'b'], eventType: 'buy', fromTs: 0, maxEvents: 50_000, maxTakers: 10_000 };

const fullTables = [
  'events',
  'items',
  'item_changes',
  'datasets',
  'dataset_counts',
  'accounts',
  'api_keys',
  'projects',
  'models',
  'deployments',
  'outcome_states',
  'jobs',
];

/** Every statement of the record path, and of datasets and keys; and the ways it may go. */
const statements: [name: string, act: (db: Queryable) => Promise<unknown>, ways: string[]][] = [
  ['upsert events', (q) => upsertEvents(q, events(), [eventRow(event)]), [counts, eventsKey]],
  ['list event ids', (q) => listEventIds(q, events(), ids), [eventsKey]],
  [
    "delete a user's events",
    (q) => deleteUserEvents(q, events(), 'u-5', 1e15, 5000),
    [eventsTid, counts, byUser],
  ],
  [
    'delete events by time',
    (q) => deleteEventsBetween(q, events(), 0, 1e15, 5000),
    [eventsTid, counts, byTs],
  ],
  ['purge events', (q) => deleteRecordsAfter(q, events(), 'id-5', 5000), [eventsTid, eventsKey]],
  [
    'upsert items',
    (q) => upsertEntities(q, items(), [entityRow({ id: 'x', attributes: {} })]),
    [counts, itemsKey],
  ],
  ['list item ids', (q) => listEntityIds(q, items(), ids), [itemsKey]],
  ['find an event', (q) => findEvent(q, events(), 'id-5'), [eventsKey]],
  ['find an item', (q) => findEntity(q, items(), 'id-5'), [itemsKey]],
  ['list items', (q) => listEntities(q, items(), { ...idRange, includesFrom: true }, pageSize), [itemsKey]],
  [
    'list the items after another',
    (q) => listEntities(q, items(), { ...idRange, includesFrom: false }, pageSize),
    [itemsKey],
  ],
  [
    'list events by ID',
    (q) => listEventsById(q, events(), { after: 'id-5', before: 'id-6' }, pageSize),
    [eventsKey],
  ],
  [
    "list a user's events",
    (q) => listUserEvents(q, events(), { userId: 'u-5', sinceTs: 0 }, place, pageSize),
    [byUser],
  ],
  [
    "list a user's events of one type",
    (q) => listUserEvents(q, events(), { userId: 'u-5', eventType: 'view', sinceTs: 0 }, place, pageSize),
    [byUser],
  ],
  ['delete items', (q) => deleteEntities(q, items(), ids), [counts, itemsKey]],
  ['purge items', (q) => deleteRecordsAfter(q, items(), 'id-5', 5000), [itemsTid, itemsKey]],
  [
    'read the changes of items',
    (q) => readItemChanges(q, served().items, position).catch(noRows),
    ['datasets_pkey', 'item_changes_by_dataset'],
  ],
  [
    'delete old changes of items',
    (q) => deleteOldItemChanges(q, 500),
    ['Tid Scan on item_changes', 'item_changes_by_time'],
  ],
  [
    'delete the row of a dataset',
    (q) => deleteDatasetRow(q, 5),
    ['datasets_to_purge', 'item_changes_by_dataset'],
  ],
  ['find a dataset', (q) => findDataset(q, 'acc_5', 'event', 'eds_5'), [counts, datasetsId]],
  [
    'list datasets',
    (q) => listDatasets(q, { beforeKey: 2_000_000_000, limit: 101, bytes: 1e6 }, 'acc_5', 'event'),
    [counts, 'datasets_by_account'],
  ],
  ['update a dataset', (q) => updateDataset(q, 'acc_5', 'event', 'eds_5', changes), [counts, datasetsId]],
  ['mark a dataset deleted', (q) => markDatasetDeleted(q, 'acc_5', 'event', 'eds_5'), [counts, datasetsId]],
  ['claim a dataset with expired events', claimExpiringDataset, ['datasets_retention_due']],
  [
    'make the next expiry of events due',
    (q) => updateRetentionDue(q, expiring(), 3600, 1e12),
    ['datasets_pkey'],
  ],
  ['claim a deleted dataset', claimDeletedDataset, ['all of datasets_to_purge']],
  [
    'lock event shards',
    (q) => lockPlanUse(q, 'acc_5', 'event_shards'),
    [...planOfAccount, 'datasets_by_account'],
  ],
  [
    'read items (see below for its function)',
    (q) => readItems(q, served().items, ['a', 'b'], ['x']),
    [datasetsId],
  ],
  [
    'read a page of items',
    (q) => readItemsAfter(q, served().items, { afterId: 'a', size: 1000 }),
    [datasetsId, itemsKey],
  ],
  ['lock projects', (q) => lockPlanUse(q, 'acc_5', 'projects'), [...planOfAccount, 'projects_by_account']],
  [
    'lock algorithms',
    (q) => lockPlanUse(q, 'acc_5', 'algorithms'),
    [...planOfAccount, 'algorithms_by_project', 'projects_by_account'],
  ],
  [
    'lock models',
    (q) => lockPlanUse(q, 'acc_5', 'models'),
    [...planOfAccount, 'jobs_live_by_account', 'models_by_project', 'projects_by_account'],
  ],
  [
    'count events',
    (q) => countEvents(q, served().events, [{ fromTs: 0, toTs: 1e15 }], 600),
    [byTs, datasetsId],
  ],
  ['read who took items', (q) => readItemTakers(q, served().events, taken), [byTs, datasetsId]],
  [
    'read what users took',
    (q) => readTakenItems(q, served().events, { userIds: ['a', 'b'], eventType: 'buy', maxEvents: 100 }),
    [byUser, datasetsId],
  ],
  ['list sample users', (q) => listActiveUsers(q, served().events, '', 20), [byUser]],
  ['list users with a record', (q) => listRecordedUsers(q, served().users, 'u-5', 1000), ['users_p00_pkey']],
  ['list users with events', (q) => listActiveUsers(q, served().events, 'u-5', 1000), [byUser]],
  [
    'read the state of users (see below for its functions)',
    (q) => readKnownUsers(q, served(), ['a', 'b']),
    ['projects_pkey'],
  ],
  [
    'read the state of users and the deployment',
    (q) =>
      readUserStates(
        q,
        ['a', 'b'].map((userId) => ({ project: served(), userId })),
      ),
    ['deployments_pkey', 'experiments_running', 'models_pkey', 'projects_project_id_key'],
  ],
  [
    'list the deployed models',
    (q) => listDeployedModels(q).next(),
    ['deployments_by_age', 'experiment_variants_pkey', 'experiments_running', 'models_pkey'],
  ],
  [
    'list pending trials',
    (q) => listPendingTrials(q, 'server'),
    [
      'all of deployment_trials_pkey',
      'all of jobs_running',
      'models_pkey',
      'projects_pkey',
      'trial_reports_pkey',
    ],
  ],
  ['find how long ago events were attributed', findAttributionAge, ['all of outcome_states_by_age']],
  [
    'list days with many small files',
    (q) => listCrowdedDays(q, [{ project_key: 5, day: 20_000 }], 16, 25_000),
    ['decision_files_by_day'],
  ],
  ['count the jobs that wait', countWaitingJobs, ['jobs_pending_by_due']],
  ['list the parts of a job', (q) => listJobParts(q, 5), ['job_parts_pkey']],
  [
    'orphan the parts of ended jobs',
    (q) => orphanJobParts(q, 20),
    ['all of job_parts_pkey', 'job_parts_pkey', 'jobs_pkey'],
  ],
  [
    'list old models',
    (q) => oldModels.list(q, 365, 200, null).catch(noRows),
    [...usesOfModels, 'models_by_age'],
  ],
  [
    'remove unused models',
    (q) => oldModels.delete(q, [5, 6]),
    [...usesOfModels, 'jobs_live_by_account', 'models_pkey', 'projects_pkey'],
  ],
  ['lock old models', (q) => oldModels.lock(q, [5, 6]), ['models_pkey']],
  ['list old jobs', (q) => oldJobs.list(q, 365, 200, null).catch(noRows), [...usesOfJobs, 'jobs_by_age']],
  ['lock old jobs', (q) => oldJobs.lock(q, [5, 6]), ['jobs_pkey']],
  ['remove unused jobs', (q) => oldJobs.delete(q, [5, 6]), [...usesOfJobs, 'jobs_pkey', 'projects_pkey']],
  ['expire results', (q) => expireResults(q, 30, 50), ['jobs_pkey', 'jobs_with_files']],
  ['find a key', (q) => findApiKey(q, 'tg_main_5'), ['api_keys_pkey']],
  ['find the states of keys', (q) => listApiKeyStates(q, ['tg_main_5', 'tg_main_6']), ['api_keys_pkey']],
  ['find write keys', (q) => listWriteKeys(q, ['tg_main_5', 'tg_main_6']), ['api_keys_pkey']],
  ['list keys', (q) => listApiKeys(q, 'acc_5'), ['api_keys_by_account']],
];

// A plan is kept by the connection: the one made while a table was empty serves it when it is full.
describe.each(['empty', 'full, and not yet analyzed', 'full'])('while tables are %s', (state) => {
  beforeAll(async () => {
    if (state === 'full, and not yet analyzed') await fillTables();
    if (state === 'full') for (const table of fullTables) await select(own.db, `ANALYZE ${table}`);
  });

  test.each(statements)('the statement to %s goes by its index', async (_, act, ways) => {
    const found = waysOf(await plansOf(act));
    // An account has few datasets. As long as nothing is known of the table, its own list of them does as well, and of its two
    // lists, by kind or of all, either does.
    const eitherWay = (way: string) => {
      const list = way === 'datasets_of_account' ? 'datasets_by_account' : way;
      return state !== 'full' && list === 'datasets_by_account' && ways.includes('datasets_dataset_id_key')
        ? 'datasets_dataset_id_key'
        : list;
    };
    expect([...new Set(found.map(eitherWay))]).toEqual(ways.toSorted());
  });

  test.each([
    ['the record of a user', "read_user_record(0, $1, 'u-5')", 'users_p00_pkey', 'Index Scan'],
    [
      'the newest events of a user',
      "read_user_history(0, $1, 'u-5', 1000000, 1000)",
      byUser,
      'Index Only Scan',
    ],
    ['items', "read_items(0, $1, ARRAY['i-5', 'i-6'], ARRAY['x'])", 'items_p00_pkey', 'Index Scan'],
  ])('the function that reads %s goes by its index', async (_, call, index, scan) => {
    const nodes = await plansInside(call.replace('$1', String(events().dataset_key)));
    expect(waysOf(nodes)).toEqual([index]);
    expect(nodes.filter((node) => node['Index Name']).map((node) => node['Node Type'])).toEqual([scan, scan]);
  });

  test('a page of audit events is read in the order of its index', async () => {
    const anyone = { actor: undefined, operation: undefined };
    const nodes = await plansOf((q) =>
      listAuditEventRows(q, 'acc_5', anyone, 2_000_000_000, { limit: 101, bytes: 1e6 }),
    );
    expect(waysOf(nodes)).toEqual(['audit_events_by_account']);
    const limits = nodes.filter((node) => node['Node Type'] === 'Limit');
    expect(limits.flatMap(({ Plans = [] }) => Plans.map((node) => node['Node Type']))).not.toContain('Sort');
  });

  test("a user's newest events are read from the index alone, in its order", async () => {
    const nodes = await plansOf(async (q) =>
      q.rows(
        {
          name: '',
          text: `SELECT item_id, event_type, ts, event_value FROM events_p00
            WHERE dataset_key = $1 AND user_id = $2 ORDER BY ts DESC LIMIT $3`,
        },
        [keys.event[2], 'u-5', 100],
      ),
    );
    expect(waysOf(nodes)).toEqual([byUser]);
    expect(new Set(nodes.map((node) => node['Node Type']))).toEqual(new Set(['Limit', 'Index Only Scan']));
  });
});

/**
 * 100,000 events and as many items in one partition, of five datasets; 20,000 datasets of 200 accounts, with keys; 20,000 deployed
 * projects with a job and five models each, all with outcomes.
 */
async function fillTables(): Promise<void> {
  const fill = [
    `INSERT INTO events SELECT k, 'id-' || n, 'u-' || n % 500, 'i-' || n % 900, n, 'view', 1
      FROM unnest($1::int[]) k, generate_series(1, 20000) n`,
    `INSERT INTO items SELECT k, 'id-' || n, '{}' FROM unnest($2::int[]) k, generate_series(1, 20000) n`,
    `INSERT INTO item_changes SELECT k, n::text::xid8, now() - n * interval '1 s', '{id}'
      FROM unnest($2::int[]) k, generate_series(1, 5000) n`,
    `INSERT INTO accounts (account_id, name, plan) SELECT 'acc_' || n, 'x', 'default' FROM generate_series(1, 200) n`,
    `INSERT INTO api_keys (api_key, account_id, secret_salt, secret_hash)
      SELECT 'tg_main_' || n, 'acc_' || 1 + n % 200, '', '' FROM generate_series(1, 5000) n`,
    `INSERT INTO datasets (dataset_id, account_id, kind, name, num_shards, partition, deleted_at, retention_days, retention_due_at)
      SELECT 'eds_' || n, 'acc_' || 1 + n % 200, 'event', 'x', 1, 0, CASE WHEN n % 100 = 0 THEN now() END,
        CASE WHEN n % 2 = 0 THEN 30 END, CASE WHEN n % 2 = 0 THEN now() + (n - 500) * interval '1 s' END
      FROM generate_series(1, 20000) n`,
    'INSERT INTO dataset_counts SELECT dataset_key, slot FROM datasets, generate_series(0, 15) slot',
    `INSERT INTO projects (project_id, account_id, name, project_type, target_event_type, serving_uri, user_dataset_key, item_dataset_key,
        event_dataset_key)
      SELECT 'prj_' || dataset_key, account_id, 'x', 'RECOMMEND_ITEMS_TO_USER', 'view', '', dataset_key, dataset_key, dataset_key
      FROM datasets`,
    `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn, job_status, job_result, finished_at)
      SELECT 'job_' || project_key, account_id, project_key, 'CLUSTERING', 'x', '{}', 1, 'SUCCEED', '{"files": [{}]}', now() FROM projects`,
    `INSERT INTO models (model_id, project_key, name, algorithm_type, algorithm_parameters, training, object_key, object_size, object_sha256)
      SELECT 'mdl_' || project_key || '_' || n, project_key, 'x', 'G1', '{}', '{}', '', 1, '' FROM projects, generate_series(1, 5) n`,
    `INSERT INTO deployments (project_key, generator_model_key, qps) SELECT project_key, max(model_key), 1 FROM models GROUP BY 1`,
    'INSERT INTO outcome_states (project_key) SELECT project_key FROM projects',
  ];
  for (const text of fill) {
    const used = [keys.event, keys.item].filter((_, n) => text.includes(`$${n + 1}`));
    await select(own.db, text.replace('$2', '$1'), used);
  }
}
