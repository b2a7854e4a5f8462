import {
  createMapping,
  createRecordMapper,
  type Format,
  type Kind,
  type Mapping,
  readSample,
  type ValueKind,
} from '@tastegraph/files';
import { openSource, stdinName } from '@tastegraph/files/open';
import { abortable } from '../abortable.ts';
import { usageError } from '../cli-error.ts';
import type { ExitCode } from '../exit-codes.ts';
import { findDataset } from '../find.ts';
import type { Session } from '../session.ts';
import { pluralize } from '../terminal/format.ts';
import { confirm, isInteractive } from '../terminal/prompt.ts';
import { checkRejectedPath } from './check-rejected-path.ts';
import { reportImport, withResumeInstructions } from './import-report.ts';
import { RejectedFile } from './rejected.ts';
import { runImport } from './run-import.ts';
import { checkNameUnused, createDatasetWithinPlan, planShards } from './shards.ts';
import { generatedIdsNotice, showMapping } from './show-mapping.ts';
import { ImportState } from './state.ts';

export interface ImportFileOptions {
  readonly dataset?: string;
  readonly create?: string;
  readonly shards?: number;
  readonly mode?: 'replace' | 'merge';
  readonly map?: ReadonlyMap<string, string>;
  readonly as?: ReadonlyMap<string, ValueKind>;
  readonly eventType?: string;
  readonly skip?: string[];
  readonly columns?: string[];
  readonly format?: Format;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly rejected?: string;
  readonly skipRows?: number;
  readonly concurrency: number;
  readonly restart?: boolean;
  readonly yes?: boolean;
}

/** Runs the import command. */
export async function importFile(
  session: Session,
  kind: Kind,
  file: string,
  options: ImportFileOptions,
): Promise<ExitCode> {
  const { client, output, signal } = session;
  const target = targetOf(options);
  const rejectedPath = options.rejected ?? `${file === stdinName ? 'stdin' : file}.rejected.ndjson`;
  checkRejectedPath(rejectedPath, file);
  const source = await abortable(openSource(file, options), signal);
  const { sample, chunks } = await abortable(readSample(source), signal);
  if (sample.length === 0)
    throw usageError(
      `${file} has no valid rows when read as ${source.description}.`,
      'Check --format, --delimiter and --columns.',
    );
  const mapping = createMapping(kind, source.columns, sample, {
    map: options.map ?? new Map(),
    as: options.as ?? new Map(),
    skip: options.skip ?? [],
    eventType: options.eventType,
  });
  if (!output.json)
    await showAndConfirmMapping(session, file, source.description, mapping, source.columns, sample, options);

  const { columns = [], encoding = '', skipRows = 0 } = options;
  const mode = options.mode === 'merge' ? 'MERGE' : 'REPLACE';
  const readOptions = { source: source.description, columns, encoding, skipRows, mode };
  const job = { kind, target, url: client.baseUrl, mapping, readOptions };
  const state = file === stdinName ? undefined : new ImportState(file, job);
  const earlier = options.restart ? undefined : state?.load();
  const resumed = earlier === 'other' ? undefined : earlier;
  if (earlier === 'other')
    output.info(
      `Starting at the first row: ${state?.path ?? ''} is from an import with a different file, dataset, mapping or options.`,
    );
  state?.checkWritable();
  const datasetId = resumed?.dataset_id ?? (await openDataset(session, kind, file, source, options));
  const skip = resumed?.rows_done ?? skipRows;
  if (resumed) output.info(`Resuming after ${pluralize(skip, 'row')} (pass --restart to start over).`);
  state?.save(datasetId, skip);

  // For stdin, --skip-rows means that an earlier run has imported these rows.
  const rejected = await RejectedFile.open(rejectedPath, resumed || !state ? skip : 0);
  let rowsDone = skip;
  try {
    const outcome = await runImport(session, {
      kind,
      datasetId,
      source,
      chunks,
      skip,
      rejected,
      concurrency: options.concurrency,
      mode,
      toRecord: createRecordMapper(mapping, source.columns),
      onRowsDone(rows) {
        rowsDone = rows;
        state?.saveThrottled(datasetId, rows);
      },
    }).catch((error: unknown) => {
      state?.save(datasetId, rowsDone);
      throw withResumeInstructions(error, { file, datasetId, rowsDone, hasStateFile: state !== undefined });
    });
    state?.remove();
    return reportImport(output, kind, datasetId, skip, outcome, rejected);
  } finally {
    rejected.close();
  }
}

function targetOf({ dataset, create }: ImportFileOptions): string {
  const target = dataset ?? create;
  if (target === undefined || (dataset !== undefined && create !== undefined))
    throw usageError(
      'Pass exactly one of --dataset or --create.',
      'Pass --dataset ID to import into an existing dataset, or --create NAME to create one. `tastegraph datasets` lists the datasets.',
    );
  return target;
}

async function openDataset(
  { client, output, signal }: Session,
  kind: Kind,
  file: string,
  source: Parameters<typeof planShards>[1],
  { dataset, create = '', shards }: ImportFileOptions,
): Promise<string> {
  if (dataset !== undefined) return (await findDataset(client, kind, dataset)).dataset_id;
  await checkNameUnused(client, kind, create);
  const plan =
    shards === undefined
      ? await abortable(planShards(file, source), signal)
      : { min: shards, target: shards };
  const created = await createDatasetWithinPlan(client, kind, create, plan);
  output.info(
    `Created ${kind.slice(0, -1)} dataset ${created.id} (${create}) with ${pluralize(created.shards, 'shard')}.`,
  );
  return created.id;
}

async function showAndConfirmMapping(
  { output, signal }: Session,
  file: string,
  description: string,
  mapping: Mapping,
  columns: readonly string[],
  sample: Parameters<typeof showMapping>[2],
  { yes }: ImportFileOptions,
): Promise<void> {
  output.info(`${file} (${description}) as ${mapping.kind}:\n${showMapping(mapping, columns, sample)}`);
  if (mapping.kind === 'events' && !mapping.fields.some(({ name }) => name === 'event_id'))
    output.info(generatedIdsNotice);
  // Records on stdin leave no input for a prompt.
  if (yes || !isInteractive()) return;
  if (!(await abortable(confirm('Import with this mapping?'), signal)))
    throw usageError(
      'Nothing was imported.',
      'Change the mapping with --map FIELD=COLUMN, --as FIELD=TYPE or --skip COLUMN.',
    );
}
