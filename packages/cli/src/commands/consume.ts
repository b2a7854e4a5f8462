import { InvalidArgumentError, Option } from 'commander';
import { findDataset } from '../find.ts';
import { type ConnectionOptions, saslMechanisms } from '../kafka/connection.ts';
import { eventFields } from '../kafka/read-event.ts';
import { openClient } from '../session.ts';
import { credentialNames, environment, requireWriter } from '../settings.ts';
import { type AddCommand, parseList, parsePairs } from './command.ts';

interface ConsumeOptions extends ConnectionOptions {
  readonly topics: readonly string[];
  readonly dataset: string;
  readonly group: string;
  readonly from: 'earliest' | 'latest';
  readonly map?: ReadonlyMap<string, string>;
  readonly tsUnit: 's' | 'ms' | 'us' | 'ns';
  readonly eventType?: string;
  readonly deadLetters?: string;
}

export const addConsume: AddCommand = (program) => {
  program
    .command('consume')
    .summary('write the events of Kafka topics, until it is stopped')
    .description(
      [
        'Read events as JSON from Kafka topics and write them to a dataset, until the process is stopped.',
        'An offset is committed only after the service has written the events before it: while the service is away, the command waits and loses nothing.',
        'Run it several times with the same group to share the partitions.',
        'It uses the write key in TASTEGRAPH_WRITE_KEY if there is one, and else the API key.',
      ].join(' '),
    )
    .requiredOption('--brokers <host:port,…>', 'brokers to connect to first', parseList)
    .requiredOption('--topics <topic,…>', 'topics to read', parseList)
    .requiredOption('--dataset <dataset>', 'event dataset to write to (ID or name; with a write key, its ID)')
    .option('--group <group>', 'consumer group, whose committed offsets say where to continue', 'tastegraph')
    .addOption(
      new Option('--from <position>', 'where a new group starts')
        .choices(['earliest', 'latest'])
        .default('earliest'),
    )
    .option(
      '--map <field=path,…>',
      'where the fields of an event are, if not under their own names; dots lead into objects: user_id=customer.id',
      parseFieldPaths,
    )
    .addOption(
      new Option(
        '--ts-unit <unit>',
        'unit of times that are numbers; texts are dates such as 2026-01-31T10:00:00Z',
      )
        .choices(['s', 'ms', 'us', 'ns'])
        .default('ms'),
    )
    .option('--event-type <type>', 'event type of records without one')
    .option(
      '--dead-letters <topic>',
      'topic for records that are rejected, with the reason in the headers (default: a line on stderr for each)',
    )
    .option('--tls', 'connect with TLS')
    .option('--tls-ca <file>', 'certificate of the authority that signed those of the brokers; implies --tls')
    .addOption(
      new Option(
        '--sasl <mechanism>',
        'log in to the brokers with the user name in KAFKA_USERNAME and the password in KAFKA_PASSWORD',
      ).choices(saslMechanisms),
    )
    .withoutClient<ConsumeOptions>(async ({ options, output, signal }) => {
      const env = environment();
      const writer = requireWriter(env);
      const client = openClient(writer, credentialNames(env), signal);
      // Loaded on demand, like the parsers of an import.
      const [{ consume }, { connectionOf }] = await Promise.all([
        import('../kafka/consume.ts'),
        import('../kafka/connection.ts'),
      ]);
      const connection = connectionOf(options, env);
      const datasetId =
        'writeKey' in writer
          ? options.dataset
          : (await findDataset(client, 'events', options.dataset)).dataset_id;
      const { map = new Map(), tsUnit, eventType, topics, group, from, deadLetters } = options;
      const paths = { map, tsUnit, eventType };
      const counts = await consume(
        { client, output, signal },
        { connection, topics, group, datasetId, from, deadLetters, paths },
      );
      output.result(counts, () => `${counts.written} events written, ${counts.rejected} records rejected.`);
    });
};

function parseFieldPaths(text: string, before?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const paths = parsePairs(text, before);
  const unknown = [...paths.keys()].find((name) => !(eventFields as readonly string[]).includes(name));
  if (unknown === undefined) return paths;
  throw new InvalidArgumentError(`Unknown field ${unknown}. Fields: ${eventFields.join(', ')}.`);
}
