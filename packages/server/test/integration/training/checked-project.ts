import type { EventRecord, ItemRecord, UserRecord } from '@tastegraph/contract';
import type { Caller } from '../stack/caller.ts';

export interface CheckedData {
  readonly events?: readonly EventRecord[];
  readonly items?: readonly ItemRecord[];
  readonly users?: readonly UserRecord[];
  readonly target?: string;
  readonly itemSchema?: Record<string, 'CATEGORICAL' | 'NUMERICAL' | 'TEXT'>;
}

/** A new project over new datasets with these records. */
export async function makeCheckedProject(
  caller: Caller,
  { events = [], items = [], users = [], target = 'buy', itemSchema }: CheckedData,
): Promise<{
  project_id: string;
  event_dataset_id: string;
  item_dataset_id: string;
  user_dataset_id: string;
}> {
  const dataset = { name: 'checked', num_shards: 1 };
  const { user_dataset_id } = await caller.call('createUserDataset', dataset);
  const { item_dataset_id } = await caller.call('createItemDataset', {
    ...dataset,
    ...(itemSchema && { attribute_schema: itemSchema }),
  });
  const { event_dataset_id } = await caller.call('createEventDataset', dataset);
  for (const batch of batches(users))
    await caller.call('upsertDatasetUsers', { user_dataset_id, users: batch });
  for (const batch of batches(items))
    await caller.call('upsertDatasetItems', { item_dataset_id, items: batch });
  for (const batch of batches(events))
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: batch });
  const datasets = { user_dataset_id, item_dataset_id, event_dataset_id };
  const { project_id } = await caller.call('createProject', {
    name: 'checked',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: target,
    ...datasets,
  });
  return { project_id, ...datasets };
}

const batches = <T>(records: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(records.length / 1000) }, (_, n) => records.slice(n * 1000, (n + 1) * 1000));

/** Hours apart, so that no two have the same time. */
export const eventOf = (n: number, user: number, item: number, event_type = 'buy'): EventRecord => ({
  event_id: `e${n}`,
  user_id: `u${user}`,
  item_id: `i${item}`,
  event_type,
  ts: 1_700_000_000_000 + n * 3_600_000,
});

export const itemsUpTo = (count: number): ItemRecord[] =>
  Array.from({ length: count }, (_, n) => ({ item_id: `i${n}` }));

/** Without findings: 1200 target events of 100 users, with 30 items that all have records. */
export const soundEvents = (): EventRecord[] =>
  Array.from({ length: 1200 }, (_, n) => eventOf(n, n % 100, (n * 7) % 30));
