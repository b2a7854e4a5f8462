import { Argument, Option } from 'commander';
import { datasetKinds, findDataset, listDatasets } from '../find.ts';
import { type Kind, kinds } from '../import/fields.ts';
import { createDataset } from '../import/shards.ts';
import { confirmed } from '../terminal/confirmed.ts';
import { counted, table } from '../terminal/table.ts';
import { type AddCommand, calling, wholeNumber } from './command.ts';

export const addDatasets: AddCommand = (program, shell) => {
  const datasets = program
    .command('datasets')
    .summary('list, create and delete datasets')
    .description('What datasets there are.');
  datasets
    .command('list', { isDefault: true })
    .description('Lists the datasets, newest first.')
    .addOption(new Option('--kind <kind>', 'only these').choices(kinds))
    .action(
      calling<{ kind?: Kind }>(shell, async ({ session: { client, output }, options }) => {
        const asked = options.kind === undefined ? kinds : [options.kind];
        const found = (await Promise.all(asked.map((kind) => listDatasets(client, kind)))).flat();
        output.result({ datasets: found }, () =>
          found.length === 0
            ? 'There are none yet. `tastegraph import events FILE --create NAME` makes one.'
            : table(
                ['kind', 'id', 'name', 'records', 'room for'],
                found.map((one) => [
                  one.kind,
                  one.dataset_id,
                  one.name,
                  one.record_count,
                  one.num_shards * 100_000,
                ]),
              ),
        );
      }),
    );
  datasets
    .command('create')
    .description('Creates a dataset.')
    .addArgument(new Argument('<kind>', 'what it is for').choices(kinds))
    .argument('<name>', 'its name')
    .option('--shards <n>', 'room for 100,000 records each; cannot be changed later', wholeNumber, 10)
    .action(
      calling<{ shards: number }>(shell, async ({ session: { client, output }, options, args }) => {
        const [kind, name] = args as [Kind, string];
        const id = await createDataset(client, kind, name, options.shards);
        output.result({ kind, [datasetKinds[kind].idField]: id, name, num_shards: options.shards }, () => id);
      }),
    );
  datasets
    .command('delete')
    .description('Deletes a dataset with all its records.')
    .addArgument(new Argument('<kind>', 'what it is of').choices(kinds))
    .argument('<dataset>', 'its id or name')
    .option('-y, --yes', 'do not ask')
    .action(
      calling<{ yes?: boolean }>(shell, async ({ session: { client, output, signal }, options, args }) => {
        const [kind, given] = args as [Kind, string];
        const found = await findDataset(client, kind, given);
        await confirmed(
          options.yes,
          `Delete ${found.dataset_id} (${found.name}) and its ${counted(found.record_count, 'record')}?`,
          signal,
        );
        if (kind === 'users') await client.deleteUserDataset({ user_dataset_id: found.dataset_id });
        else if (kind === 'items') await client.deleteItemDataset({ item_dataset_id: found.dataset_id });
        else await client.deleteEventDataset({ event_dataset_id: found.dataset_id });
        output.result({ deleted: found.dataset_id }, () => `Deleted ${found.dataset_id}.`);
      }),
    );
};
