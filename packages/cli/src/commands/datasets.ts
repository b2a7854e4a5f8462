import { type Kind, kinds } from '@tastegraph/files';
import type { Tastegraph } from '@tastegraph/sdk';
import { Argument, Option } from 'commander';
import { usageError } from '../cli-error.ts';
import { datasetKinds, findDataset, listDatasets } from '../find.ts';
import { createDataset } from '../import/shards.ts';
import { pluralize } from '../terminal/format.ts';
import { type AddCommand, type Invocation, parseCount, passed, yesOption } from './command.ts';

interface CreateOptions {
  readonly shards: number;
  readonly retentionDays?: number;
}

interface UpdateOptions {
  readonly name?: string;
  readonly shards?: number;
  readonly retentionDays?: number | 'none';
}

export const addDatasets: AddCommand = (program) => {
  const datasets = program
    .command('datasets')
    .summary('list, create, update and delete datasets')
    .description('Manage datasets.');
  datasets
    .command('list', { isDefault: true })
    .description('List datasets, newest first.')
    .addOption(new Option('--kind <kind>', 'list only datasets of this kind').choices(kinds))
    .withClient<{ kind?: Kind }>(async ({ client, output, options }) => {
      const kindsToList = options.kind === undefined ? kinds : [options.kind];
      const listed = (await Promise.all(kindsToList.map((kind) => listDatasets(client, kind)))).flat();
      output.list('datasets', listed, {
        none: 'No datasets yet. Create one: `tastegraph import events FILE --create NAME`.',
        heads: ['kind', 'id', 'name', 'records', 'capacity'],
        row: (one) => [one.kind, one.dataset_id, one.name, one.record_count, one.num_shards * 100_000],
      });
    });
  datasets
    .command('create')
    .description('Create a dataset.')
    .addArgument(new Argument('<kind>', 'kind of records').choices(kinds))
    .argument('<name>', 'name of the dataset')
    .option(
      '--shards <n>',
      'number of shards, of 100,000 records each; you can raise it later',
      parseCount,
      10,
    )
    .option(
      '--retention-days <n>',
      'events only: delete events that are older than this; by default, they are kept',
      parseCount,
    )
    .withClient(async ({ client, output, options }: Invocation<CreateOptions>, kind: Kind, name: string) => {
      const retention = retentionOf(kind, options.retentionDays);
      const id = await createDataset(client, kind, name, options.shards, retention);
      output.result(
        { kind, [datasetKinds[kind].idField]: id, name, num_shards: options.shards, ...retention },
        () => id,
      );
    });
  addUpdate(datasets);
  datasets
    .command('delete')
    .description('Delete a dataset and all its records.')
    .addArgument(new Argument('<kind>', 'kind of records').choices(kinds))
    .argument('<dataset>', 'ID or name of the dataset')
    .option(...yesOption)
    .withClient(async ({ client, output, confirm }: Invocation, kind: Kind, idOrName: string) => {
      const dataset = await findDataset(client, kind, idOrName);
      await confirm(
        `Delete ${dataset.dataset_id} (${dataset.name}) and its ${pluralize(dataset.record_count, 'record')}?`,
      );
      if (kind === 'users') await client.deleteUserDataset({ user_dataset_id: dataset.dataset_id });
      else if (kind === 'items') await client.deleteItemDataset({ item_dataset_id: dataset.dataset_id });
      else await client.deleteEventDataset({ event_dataset_id: dataset.dataset_id });
      output.result({ deleted: dataset.dataset_id }, () => `Deleted ${dataset.dataset_id}.`);
    });
};

const addUpdate: AddCommand = (datasets) => {
  datasets
    .command('update')
    .description('Rename a dataset, raise its number of shards, or change how long its events are kept.')
    .addArgument(new Argument('<kind>', 'kind of records').choices(kinds))
    .argument('<dataset>', 'ID or name of the dataset')
    .option('--name <name>', 'new name')
    .option('--shards <n>', 'new number of shards, of 100,000 records each; can only be raised', parseCount)
    .option(
      '--retention-days <n|none>',
      'events only: delete events that are older than this, from now on; none: keep them',
      // Commander would replace null.
      (text) => (text === 'none' ? text : parseCount(text)),
    )
    .option('-y, --yes', 'skip the confirmation prompt before events are deleted')
    .withClient(
      async (
        { client, output, options, confirm }: Invocation<UpdateOptions>,
        kind: Kind,
        idOrName: string,
      ) => {
        const change = {
          ...passed({ name: options.name, num_shards: options.shards }),
          ...retentionOf(kind, options.retentionDays),
        };
        if (Object.keys(change).length === 0)
          throw usageError('Nothing to update.', 'Pass --name, --shards or --retention-days.');
        const { dataset_id, name } = await findDataset(client, kind, idOrName);
        if (typeof change.retention_days === 'number')
          await confirm(
            `Delete all events of ${dataset_id} (${name}) that are older than ${pluralize(change.retention_days, 'day')}, now and from now on?`,
          );
        const updated = await updateDataset(client, kind, dataset_id, change);
        output.result(
          updated,
          () =>
            `Updated ${dataset_id} (${updated.name}): capacity ${pluralize(updated.num_shards * 100_000, 'record')}${keptText(updated.retention_days)}.`,
        );
      },
    );
};

interface Retention {
  readonly retention_days?: number | null;
}

/** The field of a request; empty if the option was not passed. */
function retentionOf(kind: Kind, days: number | 'none' | undefined): Retention {
  if (days === undefined) return {};
  if (kind !== 'events')
    throw usageError('Only event datasets have a retention.', `Leave out --retention-days for ${kind}.`);
  return { retention_days: days === 'none' ? null : days };
}

const keptText = (days: number | null | undefined) =>
  typeof days === 'number' ? `, events are kept for ${pluralize(days, 'day')}` : '';

function updateDataset(
  client: Tastegraph,
  kind: Kind,
  id: string,
  change: { name?: string; num_shards?: number } & Retention,
): Promise<{ name: string; num_shards: number } & Retention> {
  const { retention_days: _, ...common } = change;
  switch (kind) {
    case 'users':
      return client.updateUserDataset({ user_dataset_id: id, ...common });
    case 'items':
      return client.updateItemDataset({ item_dataset_id: id, ...common });
    case 'events':
      return client.updateEventDataset({ event_dataset_id: id, ...change });
  }
}
