import type { ObjectStore } from '../../storage/objects/store.ts';
import type { AttemptRow } from '../../storage/postgres/attempts.ts';
import { findDeployable, upsertDeployment } from '../../storage/postgres/deployments.ts';
import type { Database } from '../../storage/postgres/pool.ts';
import type { DeployedModel } from '../../storage/postgres/serving-reads.ts';
import type { Work } from '../engine/run-jobs.ts';
import { JobError } from '../job-error.ts';
import { checkFile } from './check-file.ts';
import { modelDeleted, whileModelsExist } from './model-deleted.ts';
import { tryOnServers } from './try-on-servers.ts';

interface ModelsToDeploy {
  readonly serving_uri: string;
  readonly generator: DeployedModel;
  readonly ranker: DeployedModel | null;
}

/** What a worker does for a DEPLOYMENT job. What serves until then is touched by nothing but the publishing. */
export function deployModels(db: Database, store: ObjectStore): Work<'DEPLOYMENT'> {
  return async (attempt, { signal, report }) => {
    const { serving_uri, generator, ranker } = await findModels(db, attempt);
    report('checking', 0, "the models' files");
    try {
      await checkFile(store, 'generator', generator, signal);
      if (ranker) await checkFile(store, 'ranker', ranker, signal);
    } catch (error) {
      // The file of a model that was deleted meanwhile is gone too, and that is then the reason.
      await findModels(db, attempt);
      throw error;
    }

    const models = {
      generator_model_key: generator.model_key,
      ranker_model_key: ranker?.model_key ?? null,
    };
    report('trying', 0.5, 'every serving process loads the models and tries them');
    await tryOnServers(db, attempt, models, signal);

    report('publishing', 1);
    const { project_key, job_data } = attempt;
    return {
      result: { serving_uri },
      publish: (tx) => whileModelsExist(upsertDeployment(tx, { project_key, ...models, qps: job_data.qps })),
      discard: async () => undefined,
    };
  };
}

async function findModels(db: Database, attempt: AttemptRow<'DEPLOYMENT'>): Promise<ModelsToDeploy> {
  const { generator_model_id, ranker_model_id } = attempt.job_data;
  const found = await findDeployable(db, attempt.project_key, generator_model_id, ranker_model_id);
  if (!found) throw new JobError('PROJECT_DELETED', 'The project was deleted.');
  const { serving_uri, generator, ranker } = found;
  if (!generator || (ranker_model_id !== null && !ranker)) throw modelDeleted();
  return { serving_uri, generator, ranker };
}
