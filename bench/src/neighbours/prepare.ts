import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tastegraph } from '@tastegraph/sdk';
import type pg from 'pg';
import type { BenchEnvironment } from '../environment.ts';
import { clientOf, createProject } from '../sdk-client.ts';
import { createShop, prepareShop } from '../serve/prepare.ts';
import type { AttackOptions } from './attacks.ts';
import type { Cell } from './cell.ts';
import type { VictimOptions } from './victim.ts';

const victimShop = { users: 5000, items: 2000, events: 50_000 };
const attackerShop = { users: 20_000, items: 4000, events: 200_000 };
/** A realistic limit: the maximum that a plan allows would not limit the attacker at all. */
const attackerQps = 1000;
const tagsPerItem = 350;
/** More than fit into the memory for mirrors. */
const catalogues = 8;
const catalogue = { users: 10, items: 20_000, events: 100 };
const importedEvents = 100_000;

export interface Neighbours {
  optionsFor(cell: Cell): { readonly victim: VictimOptions; readonly attacker: AttackOptions };
}

/** Creates two accounts with one deployed project each. The attacker's is expensive to serve. */
export async function prepareNeighbours({
  service,
  admin,
  objectsFolder,
}: BenchEnvironment): Promise<Neighbours> {
  const victim = await prepareShop(service, admin, victimShop);
  const { event_dataset_id } = await clientOf(service).getProject({ project_id: victim.project_id });
  const attackerKey = service.addAccount();
  const attackerService = { baseUrl: service.baseUrl, key: attackerKey };
  const attacker = await prepareShop(attackerService, admin, attackerShop, { qps: attackerQps });
  const client = clientOf(attackerService);
  const project = await client.getProject({ project_id: attacker.project_id });
  const { item_dataset_id } = project;
  await widenTags(admin, item_dataset_id);
  const { algorithm_id } = await client.createAlgorithm({
    project_id: attacker.project_id,
    name: 'search',
    algorithm_type: 'G1',
    algorithm_parameters: {},
  });
  const datasets = await createAttackDatasets(client);
  const catalogue_projects: string[] = [];
  for (let n = 0; n < catalogues; n++)
    catalogue_projects.push(await createProject(client, await createShop(client, admin, catalogue), 'buy'));
  const import_path = 'events.csv';
  await writeImport(join(objectsFolder, 'imports', attackerKey.account_id), import_path);
  // Get tokens before any attack: a flood of token requests uses up the limit of the attacker's key.
  const victimHeaders = await service.headersFor(
    '/recommend-items-to-user /get-project /upsert-dataset-events',
  );
  const attackerHeaders = await service.headersFor(
    '/recommend-items-to-user /recommend-items-to-item /rank-items-for-user /recommend-popular-items /upsert-dataset-events /upsert-dataset-items /check-training /submit-training-job /submit-import-job /find-items /cancel-job',
    attackerKey,
  );
  return {
    optionsFor({ api, serving }) {
      const ports = { apiPort: api.port, servingPort: serving.port };
      return {
        victim: {
          ...ports,
          headers: victimHeaders,
          project_id: victim.project_id,
          event_dataset_id,
          users: victim.users,
        },
        attacker: {
          ...ports,
          ...datasets,
          import_path,
          catalogue_projects,
          headers: attackerHeaders,
          key: attackerKey,
          project_id: attacker.project_id,
          algorithm_id,
          item_dataset_id,
          event_dataset_id: project.event_dataset_id,
        },
      };
    },
  };
}

async function writeImport(folder: string, name: string): Promise<void> {
  const rows = Array.from({ length: importedEvents }, (_, n) =>
    [`import${n}`, `u${1 + (n % 5000)}`, `i${1 + (n % 1000)}`, 1_700_000_000_000 + n, 'view'].join(),
  );
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), ['event_id,user_id,item_id,ts,event_type', ...rows, ''].join('\n'));
}

async function createAttackDatasets(client: Tastegraph) {
  const { item_dataset_id } = await client.createItemDataset({ name: 'wide', num_shards: 1 });
  const { event_dataset_id } = await client.createEventDataset({ name: 'hot', num_shards: 10 });
  return { wide_dataset_id: item_dataset_id, hot_dataset_id: event_dataset_id };
}

/** Gives the items many tags, to make filters expensive. */
async function widenTags(admin: pg.Client, item_dataset_id: string): Promise<void> {
  await admin.query(
    `UPDATE items SET attributes = attributes || jsonb_build_object('tags',
        (SELECT jsonb_agg('tag' || (n * 7919 % 100000)) FROM generate_series(1, ${tagsPerItem}) n))
      WHERE dataset_key = (SELECT dataset_key FROM datasets WHERE dataset_id = $1)`,
    [item_dataset_id],
  );
}
