import { link } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '@tastegraph/algorithms';
import type pg from 'pg';
import type { BenchEnvironment } from '../environment.ts';
import { clientOf, createDatasets, importAll } from '../sdk-client.ts';
import { trainAndDeploy } from '../serve/prepare.ts';
import type { Service } from '../service.ts';

const shop = { users: 40, items: 60, events: 400 };
export const users = Array.from({ length: shop.users }, (_, n) => `u${n}`);

/** A deployed project, and the key of its account. */
export interface Tenant {
  readonly project_id: string;
  readonly key: Service['key'];
}

export interface TenantSizes {
  readonly projects: number;
  /** Projects are spread evenly over them. */
  readonly accounts: number;
}

/**
 * Imports, trains and deploys one small project through the API, then copies it in the database: each copy has its own datasets with
 * all records, its own model row, deployment and object (a hard link), as if each had been imported and trained.
 */
export async function prepareTenants(
  { service, admin, objectsFolder }: BenchEnvironment,
  { projects, accounts }: TenantSizes,
): Promise<Tenant[]> {
  const client = clientOf(service);
  const datasets = await createDatasets(client, 1);
  await importAll(client, datasets, records());
  const template = await trainAndDeploy(client, datasets, 'buy');
  const accountIds = await copyAccounts(admin, service.key, accounts);
  const keyOf = new Map(accountIds.map(({ account_id, ...key }) => [account_id, { account_id, ...key }]));
  await copyProjects(admin, template, projects);
  await linkObjects(admin, objectsFolder, template);
  const { rows } = await admin.query<{ project_id: string; account_id: string }>(
    'SELECT project_id, account_id FROM projects WHERE project_id <> $1 ORDER BY project_key',
    [template],
  );
  return rows.map(({ project_id, account_id }) => {
    const key = keyOf.get(account_id);
    if (!key) throw new Error(`the account ${account_id} was not copied`);
    return { project_id, key };
  });
}

/** Each user takes items of one of four groups, mostly. */
function records() {
  const next = seededRandom(1);
  const pick = (below: number) => Math.floor(next() * below);
  const item = (user: number) => (next() < 0.8 ? (user % 4) * 15 + pick(15) : pick(shop.items));
  return {
    users: users.map((user_id, n) => ({ user_id, attributes: { country: `c${n % 5}` } })),
    items: Array.from({ length: shop.items }, (_, n) => ({
      item_id: `i${n}`,
      attributes: { title: `Thing number ${n}`, price: n / 2, category: `g${n % 4}` },
    })),
    events: Array.from({ length: shop.events }, (_, n) => ({
      event_id: `e${n}`,
      user_id: `u${n % shop.users}`,
      item_id: `i${item(n % shop.users)}`,
      ts: 1_700_000_000_000 + n * 60_000,
      event_type: 'buy',
    })),
  };
}

/** The n-th copy of an ID: its last eight characters are replaced. */
const copiedId = (id: string, n: string) => `left(${id}, -8) || lpad(${n}::text, 8, '0')`;

async function copyAccounts(admin: pg.Client, key: Service['key'], count: number): Promise<Service['key'][]> {
  await admin.query(
    `INSERT INTO accounts (account_id, name, plan)
      SELECT ${copiedId('account_id', 'n')}, name, plan FROM accounts, generate_series(1, $2) n WHERE account_id = $1`,
    [key.account_id, count],
  );
  const { rows } = await admin.query<{ account_id: string; api_key: string }>(
    `INSERT INTO api_keys (api_key, account_id, secret_salt, secret_hash)
      SELECT ${copiedId('api_key', 'n')}, ${copiedId('account_id', 'n')}, secret_salt, secret_hash
      FROM api_keys, generate_series(1, $2) n WHERE api_key = $1 RETURNING account_id, api_key`,
    [key.api_key, count],
  );
  return rows.map((row) => ({ ...row, api_secret: key.api_secret }));
}

async function copyProjects(admin: pg.Client, template: string, count: number): Promise<void> {
  const key = (kind: string) => `(SELECT ${kind}_dataset_key FROM projects WHERE project_id = '${template}')`;
  const partitionsOf = { user: 16, item: 16, event: 64 };
  const run = (text: string) => admin.query(text);
  await run(
    `CREATE TEMPORARY TABLE copied (n int PRIMARY KEY, account_id text, project_key int, user_key int, item_key int, event_key int)`,
  );
  await run(`INSERT INTO copied (n, account_id) SELECT n, a.account_id FROM generate_series(1, ${count}) n
    JOIN (SELECT account_id, row_number() OVER (ORDER BY account_id) - 1 AS place, count(*) OVER () AS accounts FROM accounts
      WHERE account_id <> (SELECT account_id FROM projects WHERE project_id = '${template}')) a ON a.place = n % a.accounts`);
  for (const [kind, partitions] of Object.entries(partitionsOf)) {
    const table = `${kind}s`;
    await run(`UPDATE copied SET ${kind}_key = nextval(pg_get_serial_sequence('datasets', 'dataset_key'))`);
    await run(`INSERT INTO datasets (dataset_key, dataset_id, account_id, kind, name, num_shards, partition) OVERRIDING SYSTEM VALUE
      SELECT c.${kind}_key, ${copiedId('d.dataset_id', 'c.n')}, c.account_id, d.kind, d.name, 1,
        (SELECT p FROM generate_series(0, ${partitions - 1}) p
          WHERE satisfies_hash_partition('${table}'::regclass, ${partitions}, p, c.${kind}_key))
      FROM copied c, datasets d WHERE d.dataset_key = ${key(kind)}`);
    await run(`INSERT INTO dataset_counts (dataset_key, slot, record_count)
      SELECT c.${kind}_key, d.slot, d.record_count FROM copied c, dataset_counts d WHERE d.dataset_key = ${key(kind)}`);
    const columns = {
      user: 'user_id, attributes',
      item: 'item_id, attributes',
      event: 'event_id, user_id, item_id, ts, event_type, event_value',
    }[kind];
    await run(
      `CREATE TEMPORARY TABLE records AS SELECT ${columns} FROM ${table} WHERE dataset_key = ${key(kind)}`,
    );
    await run(`INSERT INTO ${table} (dataset_key, ${columns})
      SELECT c.${kind}_key, ${columns} FROM copied c, records ORDER BY c.${kind}_key`);
    await run('DROP TABLE records');
    await run(`VACUUM ANALYZE ${table}`);
  }
  await run(`UPDATE copied SET project_key = nextval(pg_get_serial_sequence('projects', 'project_key'))`);
  await run(`INSERT INTO projects (project_key, project_id, account_id, name, project_type, user_dataset_key, item_dataset_key,
      event_dataset_key, target_event_type, serving_uri) OVERRIDING SYSTEM VALUE
    SELECT c.project_key, ${copiedId('p.project_id', 'c.n')}, c.account_id, p.name, p.project_type, c.user_key, c.item_key,
      c.event_key, p.target_event_type, p.serving_uri
    FROM copied c, projects p WHERE p.project_id = '${template}'`);
  await run(`INSERT INTO models (model_id, project_key, name, algorithm_type, algorithm_parameters, training, object_key, object_size,
      object_sha256)
    SELECT ${copiedId('m.model_id', 'c.n')}, c.project_key, m.name, m.algorithm_type, m.algorithm_parameters, m.training,
      regexp_replace(m.object_key, '\\.[^/]*$', '_' || c.n || '\\&'), m.object_size, m.object_sha256
    FROM copied c, models m JOIN projects p USING (project_key) WHERE p.project_id = '${template}'`);
  await run(`INSERT INTO deployments (project_key, generator_model_key, qps)
    SELECT m.project_key, m.model_key, d.qps FROM models m JOIN copied USING (project_key),
      deployments d JOIN projects p USING (project_key) WHERE p.project_id = '${template}'`);
  await run('DROP TABLE copied');
  await run('ANALYZE');
}

async function linkObjects(admin: pg.Client, folder: string, template: string): Promise<void> {
  const { rows } = await admin.query<{ object_key: string; is_template: boolean }>(
    'SELECT object_key, project_id = $1 AS is_template FROM models JOIN projects USING (project_key)',
    [template],
  );
  const source = rows.find(({ is_template }) => is_template)?.object_key;
  if (source === undefined) throw new Error('the project has no model');
  for (const { object_key, is_template } of rows)
    if (!is_template) await link(join(folder, source), join(folder, object_key));
}
