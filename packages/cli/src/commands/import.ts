import { formats, type Kind, kinds, type ValueKind, valueKinds } from '@tastegraph/files';
import { Argument, InvalidArgumentError, Option } from 'commander';
import type { ImportFileOptions } from '../import/import-file.ts';
import { type AddCommand, type Invocation, parseCount, parseList, parsePairs } from './command.ts';

export const addImport: AddCommand = (program) => {
  program
    .command('import')
    .summary('import users, items or events from a file')
    .description(
      [
        'Import users, items or events from a CSV, TSV, NDJSON or Parquet file, plain or gzipped, or from stdin.',
        'The command maps columns to fields by the header and shows the mapping before it sends anything.',
        'After Ctrl-C or a crash, run the same command again to continue where it stopped.',
        'Rejected records are written to FILE.rejected.ndjson with their line and the reason, and the exit code is 5.',
      ].join(' '),
    )
    .addArgument(new Argument('<kind>', 'kind of records in the file').choices(kinds))
    .argument('<file>', 'path of the file, or - for stdin')
    .option('--dataset <dataset>', 'import into this dataset (ID or name)')
    .option('--create <name>', 'create a dataset with this name and import into it; the name must be unused')
    .option(
      '--shards <n>',
      'with --create: number of shards, of 100,000 records each (default: enough for ten times the rows of the file, or what the plan of the account still allows)',
      parseCount,
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'how to write records that exist: replace them, or merge the columns of the file into them',
      )
        .choices(['replace', 'merge'])
        .default('replace'),
    )
    .option(
      '--map <field=column,…>',
      'map columns to fields, to override the detected mapping; if the name on the left is not a field, the column becomes an attribute with that name',
      parsePairs,
    )
    .option(
      '--as <field=type,…>',
      `set the type of fields and attributes: ${valueKinds.join(', ')} (s, ms, us and ns are times in seconds, milliseconds, microseconds or nanoseconds since 1970; iso is a date such as 2026-01-31T10:00:00Z)`,
      parseTypes,
    )
    .option('--event-type <type>', 'event type of all rows, if no column has it')
    .option('--skip <column,…>', 'columns to skip', parseList)
    .option('--columns <name,…>', 'column names, for a file without a header', parseList)
    .addOption(
      new Option('--format <format>', 'file format (default: detected by content and name)').choices(formats),
    )
    .option('--delimiter <delimiter>', 'delimiter of a CSV file (default: detected)', parseDelimiter)
    .option('--encoding <encoding>', 'text encoding', 'utf-8')
    .option(
      '--rejected <file>',
      'write rejected records to this file (default: FILE.rejected.ndjson); an existing file is overwritten only if it is empty or contains rejected records',
    )
    .option('--skip-rows <n>', 'skip the first n rows', parseCount)
    .option('--concurrency <n>', 'maximum number of requests in flight', parseCount, 8)
    .option('--restart', 'start at the first row, even if an earlier run can be resumed')
    .option('-y, --yes', 'import without asking to confirm the mapping')
    .withClient(async ({ options, ...session }: Invocation<ImportFileOptions>, kind: Kind, file: string) => {
      // Loaded on demand: the parsers take longer to load than everything else.
      const { importFile } = await import('../import/import-file.ts');
      return importFile(session, kind, file, options);
    });
};

function parseTypes(
  text: string,
  before: ReadonlyMap<string, ValueKind> = new Map(),
): ReadonlyMap<string, ValueKind> {
  const read = [...parsePairs(text)].map(([name, kind]) => {
    if (!(valueKinds as readonly string[]).includes(kind))
      throw new InvalidArgumentError(`Unknown type ${kind}. Allowed: ${valueKinds.join(', ')}.`);
    return [name, kind as ValueKind] as const;
  });
  return new Map([...before, ...read]);
}

function parseDelimiter(text: string): string {
  return text === '\\t' || text === 'tab' ? '\t' : text;
}
