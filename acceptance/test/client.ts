import { Tastegraph } from '@tastegraph/sdk';
import { inject } from 'vitest';

/** Where the product runs, and a key of it. */
export const access = {
  baseUrl: inject('baseUrl'),
  apiKey: inject('apiKey'),
  apiSecret: inject('apiSecret'),
};

export const client = new Tastegraph(access);

export interface Datasets {
  readonly user_dataset_id: string;
  readonly item_dataset_id: string;
  readonly event_dataset_id: string;
}

/** The ID of a project that recommends items to users. */
export async function createProject(
  name: string,
  target_event_type: string,
  { user_dataset_id, item_dataset_id, event_dataset_id }: Datasets,
): Promise<string> {
  const datasets = { user_dataset_id, item_dataset_id, event_dataset_id };
  const project = { name, project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type, ...datasets } as const;
  return (await client.createProject(project)).project_id;
}

/** The ID of an algorithm that chooses its own parameters. */
export async function createAlgorithm(project_id: string, algorithm_type: 'G1' | 'POPULAR'): Promise<string> {
  const algorithm = { project_id, name: 'a', algorithm_type, algorithm_parameters: {} };
  return (await client.createAlgorithm(algorithm)).algorithm_id;
}
