import { isForeignKeyViolation } from '../../storage/postgres/pool.ts';
import { JobError } from '../job-error.ts';

export function modelDeleted(): JobError {
  return new JobError(
    'MODEL_DELETED',
    'A model of the deployment was deleted. Deploy another one; what served before still does.',
  );
}

/** For what refers to the models: PostgreSQL refuses it when one of them is gone. */
export async function whileModelsExist<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isForeignKeyViolation(error) ? modelDeleted() : error;
  }
}
