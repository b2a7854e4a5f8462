import type { EventRecord, ItemRecord, UserRecord } from '@tastegraph/contract';
import type { Caller } from '../stack/caller.ts';
import { batchesOf, makeEmptyProject, type TestProject } from '../stack/training.ts';

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
  { events = [], items = [], users = [], ...shape }: CheckedData,
): Promise<TestProject> {
  const project = await makeEmptyProject(caller, shape);
  const { user_dataset_id, item_dataset_id, event_dataset_id } = project;
  for (const batch of batchesOf(users))
    await caller.call('upsertDatasetUsers', { user_dataset_id, users: batch });
  for (const batch of batchesOf(items))
    await caller.call('upsertDatasetItems', { item_dataset_id, items: batch });
  for (const batch of batchesOf(events))
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: batch, allow_old_ts: true });
  return project;
}

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
