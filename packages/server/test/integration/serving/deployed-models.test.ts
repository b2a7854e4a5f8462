import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../../src/accounts/create-account.ts';
import type { Database } from '../../../src/kernel/postgres/pool.ts';
import type { LoadedModel } from '../../../src/models/loaded-model.ts';
import { preloadModels } from '../../../src/models/preload-models.ts';
import { listDeployedModels } from '../../../src/models/rows.ts';
import type { DeployedModel } from '../../../src/projects/rows/deployments.ts';
import { openOwnDatabase } from '../stack/database.ts';
import { select } from '../stack/kinds.ts';
import { perFile } from '../stack/stack.ts';

const own = perFile(openOwnDatabase);

beforeAll(async () => {
  const { db } = own;
  const { account_id } = await createAccount(db, 'test', 'default');
  const fill = [
    `INSERT INTO datasets (dataset_id, account_id, kind, name, num_shards, partition) VALUES ('ds', $1, 'event', 'x', 1, 0)`,
    `INSERT INTO projects (project_id, account_id, name, project_type, target_event_type, serving_uri, user_dataset_key,
        item_dataset_key, event_dataset_key)
      SELECT 'p' || n, $1, 'x', 'RECOMMEND_ITEMS_TO_USER', 'buy', '', dataset_key, dataset_key, dataset_key
      FROM datasets, generate_series(1, 10) n ORDER BY n`,
    // Of each project: an old model, a deployed one, a ranker, and one of an experiment.
    `INSERT INTO models (model_id, project_key, name, algorithm_type, algorithm_parameters, training, object_key, object_size,
        object_sha256)
      SELECT project_id || '-' || what, project_key, 'x', 'G1', '{}', '{}', '', 100, ''
      FROM projects, unnest(ARRAY['old', 'generator', 'ranker', 'variant']) what WHERE account_id = $1`,
    // Pairs of projects are deployed at the same time; the last one is not deployed.
    `INSERT INTO deployments (project_key, generator_model_key, ranker_model_key, qps, deployed_at)
      SELECT p.project_key, g.model_key, r.model_key, 1, timestamptz '2026-01-01' + p.project_key / 2 * interval '1 hour'
      FROM projects p JOIN models g ON g.model_id = p.project_id || '-generator'
        LEFT JOIN models r ON r.model_id = p.project_id || '-ranker' AND p.project_id = 'p3'
      WHERE p.account_id = $1 AND p.project_id <> 'p10'`,
    `INSERT INTO experiments (experiment_id, project_key, name, scenario, metric, window_hours, stopped_at)
      SELECT 'x' || project_id, project_key, 'x', 'default', 'x', 1, CASE WHEN project_id = 'p7' THEN now() END
      FROM projects WHERE account_id = $1 AND project_id IN ('p2', 'p7')`,
    `INSERT INTO experiment_variants (experiment_key, position, name, share, model_key)
      SELECT x.experiment_key, n, 'v' || n, 0.5, CASE n WHEN 1 THEN m.model_key END
      FROM experiments x JOIN projects p USING (project_key) JOIN models m ON m.model_id = p.project_id || '-variant',
        generate_series(0, 1) n WHERE p.account_id = $1`,
  ];
  for (const text of fill) await select(db, text, [account_id]);
});

const expected = ['p9', 'p8', 'p7', 'p6', 'p5', 'p4', 'p3', 'p2', 'p1'];

test('deployed models are listed by deployment, the latest first, with rankers and running experiments', async () => {
  for (const pageSize of [1, 2, 4, 500]) {
    const listed: DeployedModel[] = [];
    for await (const model of listDeployedModels(own.db, pageSize)) listed.push(model);
    const ids = listed.map(({ model_id }) => model_id);
    expect(ids.filter((id) => id.endsWith('-generator'))).toEqual(expected.map((id) => `${id}-generator`));
    expect(ids.filter((id) => !id.endsWith('-generator'))).toEqual(['p3-ranker', 'p2-variant']);
    expect(listed[0]).toMatchObject({ size: 100, sha256: '' });
  }
});

test('a process that starts loads the latest models until its memory is full, and reads no further', async () => {
  const statements: string[] = [];
  const watched: Pick<Database, 'rows'> = {
    rows: (statement, values) => {
      statements.push(statement.name);
      return own.db.rows(statement, values);
    },
  };
  const loaded: string[] = [];
  const models = {
    hasRoomFor: () => loaded.length < 5,
    get: async ({ model_id }: DeployedModel) => {
      loaded.push(model_id);
      return {} as LoadedModel;
    },
  };
  const { signal } = new AbortController();
  await preloadModels({ db: watched, models, log: pino({ level: 'silent' }), stopping: signal });
  expect(loaded.slice(0, 5)).toEqual(expected.slice(0, 5).map((id) => `${id}-generator`));
  // Loads that had begun when the last one fit.
  expect(loaded.length).toBeLessThan(9);
  expect(statements).toEqual(['list_deployed_models']);
});
