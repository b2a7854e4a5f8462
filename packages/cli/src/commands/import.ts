import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
import { type Kind, kinds } from '../import/fields.ts';
import type { ImportFileOptions } from '../import/import-file.ts';
import { formats } from '../import/sources/source.ts';
import { type ValueKind, valueKinds } from '../import/values.ts';
import { type AddCommand, calling, commaList, pairs, wholeNumber } from './command.ts';

export const addImport: AddCommand = (program, shell) => {
  const command: Command = program
    .command('import')
    .summary('import users, items or events from a file')
    .description(
      `Imports users, items or events from CSV, TSV, NDJSON or Parquet, plain or gzip; - is stdin.
Which column is what is guessed from the header and shown. Given again after Ctrl-C or a crash, the same command goes on where
it was. Records that are refused go to FILE.rejected.ndjson with their line and the reason, and the command ends with 5.`,
    )
    .addArgument(new Argument('<kind>', 'what the file holds').choices(kinds))
    .argument('<file>', 'the file, or - for stdin')
    .option('--dataset <dataset>', 'the dataset to import into, by id or name')
    .option('--create <name>', 'create a dataset of this name and import into it')
    .option(
      '--shards <n>',
      'with --create: its shards, of 100,000 records each (default: by the rows of the file)',
      wholeNumber,
    )
    .option(
      '--map <field=column,…>',
      'which column is what, where the guess is wrong; other names become attributes',
      pairs,
    )
    .option('--as <field=kind,…>', `how columns are read: ${valueKinds.join(', ')}`, readKinds)
    .option('--event-type <type>', 'the type of all events, where no column has it')
    .option('--skip <column,…>', 'columns to leave out', commaList)
    .option('--columns <name,…>', 'the names of the columns, for a file without a header', commaList)
    .addOption(
      new Option('--format <format>', 'the format, where name and content do not tell').choices(formats),
    )
    .option('--delimiter <mark>', 'what stands between the cells of a CSV', readDelimiter)
    .option('--encoding <encoding>', 'the encoding of the text', 'utf-8')
    .option(
      '--rejected <file>',
      'where rejected records go (default: FILE.rejected.ndjson); a file of anything else is not replaced',
    )
    .option('--skip-rows <n>', 'begin after so many rows', wholeNumber)
    .option('--concurrency <n>', 'calls under way at once', wholeNumber, 8)
    .option('--restart', 'begin at the first row, whatever an earlier run has done')
    .option('-y, --yes', 'do not ask whether the mapping is right');
  command.action(
    calling<ImportFileOptions>(shell, async ({ session, options, args }): Promise<ExitCode> => {
      const [kind, file] = args as [Kind, string];
      // Only now: the parsers take longer to load than all else.
      const { importFile } = await import('../import/import-file.ts');
      return importFile(session, kind, file, options);
    }),
  );
};

function readKinds(
  text: string,
  before: ReadonlyMap<string, ValueKind> = new Map(),
): ReadonlyMap<string, ValueKind> {
  const read = [...pairs(text)].map(([name, kind]) => {
    if (!(valueKinds as readonly string[]).includes(kind))
      throw new InvalidArgumentError(`${kind} is none of ${valueKinds.join(', ')}.`);
    return [name, kind as ValueKind] as const;
  });
  return new Map([...before, ...read]);
}

function readDelimiter(text: string): string {
  return text === '\\t' || text === 'tab' ? '\t' : text;
}
