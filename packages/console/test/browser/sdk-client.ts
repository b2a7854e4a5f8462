import { Tastegraph } from '@tastegraph/sdk';
import { inject } from 'vitest';

/** A client of the bookshop's account that may do everything. */
export const shopClient = () =>
  new Tastegraph({
    baseUrl: inject('baseUrl'),
    apiKey: inject('apiKey'),
    apiSecret: inject('apiSecret'),
    scopes: 'all',
  });

/** A project with datasets of its own, which are empty. */
export async function newProject(name: string, fields: { readonly title_attribute?: string } = {}) {
  const client = shopClient();
  const dataset = { name, num_shards: 1 };
  const { user_dataset_id } = await client.createUserDataset(dataset);
  const { item_dataset_id } = await client.createItemDataset(dataset);
  const { event_dataset_id } = await client.createEventDataset(dataset);
  const ids = { user_dataset_id, item_dataset_id, event_dataset_id };
  const what = { project_type: 'RECOMMEND_ITEMS_TO_USER', target_event_type: 'buy' } as const;
  const { project_id } = await client.createProject({ name, ...what, ...ids, ...fields });
  return { project_id, ...ids };
}
