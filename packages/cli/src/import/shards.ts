import type { Tastegraph } from '@tastegraph/sdk';
import type { Kind } from './fields.ts';
import { countRows, stdinName } from './sources/open.ts';
import type { Source } from './sources/source.ts';

/** The API's rule: a shard for each 100,000 records, and ten at least, since shards cannot be added later. */
const recordsPerShard = 100_000;
const fewestShards = 10;

/** By the rows of the file; from stdin nobody knows them. */
export async function numShards(file: string, source: Source): Promise<number> {
  if (file === stdinName) return fewestShards;
  return Math.max(fewestShards, Math.ceil((await countRows(file, source)) / recordsPerShard));
}

export async function createDataset(
  client: Tastegraph,
  kind: Kind,
  name: string,
  num_shards: number,
): Promise<string> {
  switch (kind) {
    case 'users':
      return (await client.createUserDataset({ name, num_shards })).user_dataset_id;
    case 'items':
      return (await client.createItemDataset({ name, num_shards })).item_dataset_id;
    case 'events':
      return (await client.createEventDataset({ name, num_shards })).event_dataset_id;
  }
}
