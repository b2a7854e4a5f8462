import { ApiError } from '../http/api-error.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { listProjectIdsOfDataset } from './rows/projects.ts';

/** Projects that the error lists. */
const projectsNamed = 10;

/** Why a dataset must stay: projects use it. */
export async function needsDataset(
  db: Queryable,
  { key }: { readonly key: number },
): Promise<ApiError | undefined> {
  const projects = await listProjectIdsOfDataset(db, key, projectsNamed);
  if (projects.length === 0) return undefined;
  return new ApiError(
    'DATASET_IN_USE',
    `These projects use the dataset: ${projects.join(', ')}. Delete them with /delete-project first.`,
  );
}
