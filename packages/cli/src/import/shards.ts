import type { Kind, Source } from '@tastegraph/files';
import { countRows, stdinName } from '@tastegraph/files/open';
import { ApiError, type Tastegraph } from '@tastegraph/sdk';
import { usageError } from '../cli-error.ts';
import { type Dataset, listDatasets } from '../find.ts';

const recordsPerShard = 100_000;
/** The limit of the API. */
const maxShards = 10_000;
/** A new dataset has room for this many times the rows of its first file. */
const growthFactor = 10;
/** The number of rows on stdin is unknown. */
const stdinShards = 10;

/** Shards for a new dataset: what its first file needs, and what it gets if the plan allows. */
export interface ShardPlan {
  readonly min: number;
  readonly target: number;
}

const shardsFor = (records: number) => Math.min(maxShards, Math.max(1, Math.ceil(records / recordsPerShard)));

/** Plans shards by the number of rows in the file. */
export async function planShards(file: string, source: Source): Promise<ShardPlan> {
  if (file === stdinName) return { min: 1, target: stdinShards };
  const rows = await countRows(file, source);
  return { min: shardsFor(rows), target: shardsFor(growthFactor * rows) };
}

/** Halves the number of shards until the account's plan allows it, but not below what the file needs. */
export async function createDatasetWithinPlan(
  client: Tastegraph,
  kind: Kind,
  name: string,
  { min, target }: ShardPlan,
): Promise<{ id: string; shards: number }> {
  for (let shards = target; ; shards = Math.max(min, Math.floor(shards / 2))) {
    try {
      return { id: await createDataset(client, kind, name, shards), shards };
    } catch (error) {
      const isOverPlan = error instanceof ApiError && error.code === 'QUOTA_EXCEEDED';
      if (!isOverPlan || shards === min) throw error;
    }
  }
}

/** A second dataset with the same name is almost always a mistake: projects would still use the first. */
export async function checkNameUnused(client: Tastegraph, kind: Kind, name: string): Promise<void> {
  const existing = (await listDatasets(client, kind)).find((dataset: Dataset) => dataset.name === name);
  if (!existing) return;
  throw usageError(
    `A ${kind.slice(0, -1)} dataset named ${name} already exists: ${existing.dataset_id}.`,
    `Pass --dataset ${existing.dataset_id} to import into it, or pass another name to --create.`,
  );
}

export async function createDataset(
  client: Tastegraph,
  kind: Kind,
  name: string,
  num_shards: number,
  eventFields: { readonly retention_days?: number | null } = {},
): Promise<string> {
  switch (kind) {
    case 'users':
      return (await client.createUserDataset({ name, num_shards })).user_dataset_id;
    case 'items':
      return (await client.createItemDataset({ name, num_shards })).item_dataset_id;
    case 'events':
      return (await client.createEventDataset({ name, num_shards, ...eventFields })).event_dataset_id;
  }
}
