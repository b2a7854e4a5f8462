import type { ExitCode } from '../exit-codes.ts';
import { findDataset } from '../find.ts';
import { unlessInterrupted } from '../interruptible.ts';
import { usageProblem } from '../problem.ts';
import type { Session } from '../session.ts';
import { confirm, isInteractive } from '../terminal/prompt.ts';
import { counted } from '../terminal/table.ts';
import { checkRejectedPath } from './check-rejected-path.ts';
import type { Kind } from './fields.ts';
import { report, stopped } from './import-report.ts';
import { recordMaker } from './make-records.ts';
import { type Mapping, makeMapping } from './mapping.ts';
import { RejectedFile } from './rejected.ts';
import { runImport } from './run-import.ts';
import { takeSample } from './sample.ts';
import { createDataset, numShards } from './shards.ts';
import { madeIdsNotice, showMapping } from './show-mapping.ts';
import { openSource, stdinName } from './sources/open.ts';
import type { Format } from './sources/source.ts';
import { ImportState } from './state.ts';
import type { ValueKind } from './values.ts';

export interface ImportFileOptions {
  readonly dataset?: string;
  readonly create?: string;
  readonly shards?: number;
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

/** What the import command does. */
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
  const source = await unlessInterrupted(openSource(file, options), signal);
  const { sample, chunks } = await unlessInterrupted(takeSample(source), signal);
  if (sample.length === 0)
    throw usageProblem(
      `${file} has no row that can be read as ${source.description}.`,
      'Check --format, --delimiter and --columns.',
    );
  const mapping = makeMapping(kind, source.columns, sample, {
    ...{ map: options.map ?? new Map(), as: options.as ?? new Map() },
    ...{ skip: options.skip ?? [], eventType: options.eventType },
  });
  if (!output.json) await show(session, file, source.description, mapping, source.columns, sample, options);

  const { columns = [], encoding = '', skipRows = 0 } = options;
  const reading = { source: source.description, columns, encoding, skipRows };
  const job = { kind, target, url: client.baseUrl, mapping, reading };
  const state = file === stdinName ? undefined : new ImportState(file, job);
  const earlier = options.restart ? undefined : state?.find();
  const resumed = earlier === 'other' ? undefined : earlier;
  if (earlier === 'other')
    output.say(
      `${state?.path ?? ''} is of another file, dataset or mapping, or was read otherwise: this import begins at the first row.`,
    );
  state?.checkWritable();
  const datasetId = resumed?.dataset_id ?? (await openDataset(session, kind, file, source, options));
  const skip = resumed?.rows_done ?? skipRows;
  if (resumed)
    output.say(
      `Going on after the ${counted(skip, 'row')} that an earlier run has done (--restart begins anew).`,
    );
  state?.save(datasetId, skip);

  // Rows of stdin that are skipped are those that an earlier run has done.
  const rejected = await RejectedFile.open(rejectedPath, resumed || !state ? skip : 0);
  let rowsDone = skip;
  try {
    const outcome = await runImport(session, {
      ...{ kind, datasetId, source, chunks, skip, rejected, concurrency: options.concurrency },
      makeRecord: recordMaker(mapping, source.columns),
      onRowsDone(rows) {
        rowsDone = rows;
        state?.saveNowAndThen(datasetId, rows);
      },
    }).catch((error: unknown) => {
      state?.save(datasetId, rowsDone);
      throw stopped(error, { file, datasetId, rowsDone, isNoted: state !== undefined });
    });
    state?.remove();
    return report(output, kind, datasetId, skip, outcome, rejected);
  } finally {
    rejected.close();
  }
}

function targetOf({ dataset, create }: ImportFileOptions): string {
  const target = dataset ?? create;
  if (target === undefined || (dataset !== undefined && create !== undefined))
    throw usageProblem(
      'It must be said where the records go, in one way.',
      'Give --dataset ID or --create NAME; `tastegraph datasets` shows what there is.',
    );
  return target;
}

async function openDataset(
  { client, output, signal }: Session,
  kind: Kind,
  file: string,
  source: Parameters<typeof numShards>[1],
  { dataset, create = '', shards }: ImportFileOptions,
): Promise<string> {
  if (dataset !== undefined) return (await findDataset(client, kind, dataset)).dataset_id;
  const num_shards = shards ?? (await unlessInterrupted(numShards(file, source), signal));
  const id = await createDataset(client, kind, create, num_shards);
  output.say(`Created the dataset of ${kind} ${id} (${create}), with ${counted(num_shards, 'shard')}.`);
  return id;
}

async function show(
  { output, signal }: Session,
  file: string,
  description: string,
  mapping: Mapping,
  columns: readonly string[],
  sample: Parameters<typeof showMapping>[2],
  { yes }: ImportFileOptions,
): Promise<void> {
  output.say(`${file} (${description}) as ${mapping.kind}:\n${showMapping(mapping, columns, sample)}`);
  if (mapping.kind === 'events' && !mapping.fields.some(({ name }) => name === 'event_id'))
    output.say(madeIdsNotice);
  // Stdin that holds the records cannot hold the answer.
  if (yes || !isInteractive()) return;
  if (!(await unlessInterrupted(confirm('Import it so?'), signal)))
    throw usageProblem(
      'Not imported.',
      'Change the mapping with --map FIELD=COLUMN, --as FIELD=KIND or --skip COLUMN.',
    );
}
