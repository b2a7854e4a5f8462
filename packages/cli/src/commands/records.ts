import { type Kind, kinds } from '@tastegraph/files';
import type { Listed, ListRequest, Tastegraph } from '@tastegraph/sdk';
import { Argument } from 'commander';
import { usageError } from '../cli-error.ts';
import { findDataset } from '../find.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { detailsTable, table } from '../terminal/table.ts';
import { type AddCommand, type Invocation, parseCount, parseTime, passed } from './command.ts';

type User = Listed<'listDatasetUsers'>;
type Item = Listed<'listDatasetItems'>;
type Event = Listed<'listDatasetEvents'>;

interface ListOptions {
  readonly prefix?: string;
  readonly user?: string;
  readonly type?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
}

export const addRecords: AddCommand = (program) => {
  const records = program
    .command('records')
    .summary('show and list the records of a dataset')
    .description('Read the records of a dataset.');
  records
    .command('get')
    .description('Show one record as it is stored.')
    .addArgument(new Argument('<kind>', 'kind of records').choices(kinds))
    .argument('<dataset>', 'ID or name of the dataset')
    .argument('<id>', 'ID of the record')
    .withClient(async ({ client, output }: Invocation, kind: Kind, idOrName: string, id: string) => {
      const { dataset_id } = await findDataset(client, kind, idOrName);
      const record = await getRecord(client, kind, dataset_id, id);
      output.result(record, () => {
        const { attributes, ...fields } = record;
        const named = Object.entries(attributes).map(
          ([name, value]) => [`attributes.${name}`, value] as const,
        );
        return detailsTable([...Object.entries(fields), ...named]);
      });
    });
  records
    .command('list')
    .description('List users or items, sorted by ID, or the events of a user, newest first.')
    .addArgument(new Argument('<kind>', 'kind of records').choices(kinds))
    .argument('<dataset>', 'ID or name of the dataset')
    .option('--prefix <text>', 'list only users or items whose ID starts with this text')
    .option('--user <id>', 'ID of the user whose events to list; required for events')
    .option('--type <type>', 'list only events of this type')
    .option(
      '--since <time>',
      'list only events at or after this time, such as 2026-01-31T08:00 (UTC), or in milliseconds since 1970',
      parseTime,
    )
    .option('--until <time>', 'list only events before this time', parseTime)
    .option('--limit <n>', 'maximum number of records', parseCount, 20)
    .withClient(
      async ({ client, output, options }: Invocation<ListOptions>, kind: Kind, idOrName: string) => {
        checkOptions(kind, options);
        const { dataset_id } = await findDataset(client, kind, idOrName);
        const found = await listRecords(client, kind, dataset_id, options);
        output.result({ [kind]: found }, () => (found.length === 0 ? 'No records.' : tableOf(kind, found)));
      },
    );
};

const eventOptions = ['user', 'type', 'since', 'until'] as const satisfies (keyof ListOptions)[];

function checkOptions(kind: Kind, options: ListOptions): void {
  if (kind === 'events' && options.user === undefined)
    throw usageError('--user is required for events.', 'Pass the ID of the user whose events to list.');
  const others = kind === 'events' ? (['prefix'] as const) : eventOptions;
  const wrong = others.find((name) => options[name] !== undefined);
  if (wrong !== undefined) throw usageError(`--${wrong} does not apply to ${kind}.`, `Leave out --${wrong}.`);
}

function getRecord(
  client: Tastegraph,
  kind: Kind,
  id: string,
  recordId: string,
): Promise<User | Item | Event> {
  switch (kind) {
    case 'users':
      return client.getDatasetUser({ user_dataset_id: id, user_id: recordId });
    case 'items':
      return client.getDatasetItem({ item_dataset_id: id, item_id: recordId });
    case 'events':
      return client.getDatasetEvent({ event_dataset_id: id, event_id: recordId });
  }
}

async function listRecords(
  client: Tastegraph,
  kind: Kind,
  id: string,
  { prefix, user = '', type, since, until, limit }: ListOptions,
): Promise<(User | Item | Event)[]> {
  const size = { page_size: Math.min(limit, 1000) };
  const byId = { ...size, ...passed({ id_prefix: prefix }) };
  const ofUser: ListRequest<'listDatasetEvents'> = {
    ...size,
    event_dataset_id: id,
    user_id: user,
    ...passed({ event_type: type, since_ts: since, until_ts: until }),
  };
  const lists = {
    users: () => client.listAll('listDatasetUsers', { user_dataset_id: id, ...byId }),
    items: () => client.listAll('listDatasetItems', { item_dataset_id: id, ...byId }),
    events: () => client.listAll('listDatasetEvents', ofUser),
  };
  const found: (User | Item | Event)[] = [];
  for await (const record of lists[kind]()) if (found.push(record) >= limit) break;
  return found;
}

function tableOf(kind: Kind, records: readonly (User | Item | Event)[]): string {
  if (kind !== 'events') {
    const rows = (records as (User | Item)[]).map((one) => [
      'user_id' in one ? one.user_id : one.item_id,
      one.attributes,
    ]);
    return table([kind === 'users' ? 'user_id' : 'item_id', 'attributes'], rows);
  }
  return table(
    ['event_id', 'time', 'type', 'item_id', 'value', 'attributes'],
    (records as Event[]).map((one) => [
      one.event_id,
      formatTimestamp(one.ts),
      one.event_type,
      one.item_id,
      one.event_value,
      one.attributes,
    ]),
  );
}
