import { JobError } from '../jobs/engine/job-error.ts';
import { isForeignKeyViolation } from '../kernel/postgres/pool.ts';

export function modelDeleted(): JobError {
  return new JobError(
    'MODEL_DELETED',
    'A model of the deployment was deleted. Deploy another model. The previous deployment, if any, still serves.',
  );
}

/** For writes that refer to the models: a foreign key violation means that one was deleted. */
export async function whileModelsExist<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isForeignKeyViolation(error) ? modelDeleted() : error;
  }
}
