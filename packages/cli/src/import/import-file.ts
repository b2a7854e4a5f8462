import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { datasetKinds, findDataset } from '../find.ts';
import { Interrupted, Problem, problemOf, usageProblem } from '../problem.ts';
import type { Session } from '../session.ts';
import { duration } from '../terminal/import-progress.ts';
import { confirm, isInteractive } from '../terminal/prompt.ts';
import { counted } from '../terminal/table.ts';
import type { Kind } from './fields.ts';
import { recordMaker } from './make-records.ts';
import { type Mapping, makeMapping } from './mapping.ts';
import { RejectedFile } from './rejected.ts';
import { type ImportOutcome, runImport } from './run-import.ts';
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
  const { client, output } = session;
  const target = targetOf(options);
  const source = await openSource(file, options);
  const { sample, chunks } = await takeSample(source);
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

  const state =
    file === stdinName ? undefined : new ImportState(file, { kind, target, url: client.baseUrl, mapping });
  const earlier = options.restart ? undefined : state?.find();
  const resumed = earlier === 'other' ? undefined : earlier;
  if (earlier === 'other')
    output.say(
      `${state?.path ?? ''} is of another file, dataset or mapping: this import begins at the first row.`,
    );
  const datasetId = resumed?.dataset_id ?? (await openDataset(session, kind, file, source, options));
  const skip = resumed?.rows_done ?? options.skipRows ?? 0;
  if (resumed)
    output.say(
      `Going on after the ${counted(skip, 'row')} that an earlier run has done (--restart begins anew).`,
    );
  state?.save(datasetId, skip);

  const rejectedPath = options.rejected ?? `${file === stdinName ? 'stdin' : file}.rejected.ndjson`;
  const rejected = await RejectedFile.open(rejectedPath, resumed ? skip : 0);
  let rowsDone = skip;
  try {
    const outcome = await runImport(session, {
      ...{ kind, datasetId, source, chunks, skip, rejected, concurrency: options.concurrency },
      makeRecord: recordMaker(mapping, source.columns),
      onRowsDone(rows) {
        rowsDone = rows;
        state?.saveNowAndThen(datasetId, rows);
      },
    });
    state?.remove();
    return report(session, kind, datasetId, skip, outcome, rejected);
  } catch (error) {
    state?.save(datasetId, rowsDone);
    throw stopped(error, rowsDone, state !== undefined);
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
  { client, output }: Session,
  kind: Kind,
  file: string,
  source: Parameters<typeof numShards>[1],
  { dataset, create = '', shards }: ImportFileOptions,
): Promise<string> {
  if (dataset !== undefined) return (await findDataset(client, kind, dataset)).dataset_id;
  const num_shards = shards ?? (await numShards(file, source));
  const id = await createDataset(client, kind, create, num_shards);
  output.say(`Created the dataset of ${kind} ${id} (${create}), with ${counted(num_shards, 'shard')}.`);
  return id;
}

async function show(
  { output }: Session,
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
  if (!(await confirm('Import it so?')))
    throw usageProblem(
      'Not imported.',
      'Change the mapping with --map FIELD=COLUMN, --as FIELD=KIND or --skip COLUMN.',
    );
}

function report(
  { output }: Session,
  kind: Kind,
  dataset_id: string,
  skipped: number,
  { rows, succeeded, replaced, seconds }: ImportOutcome,
  rejected: RejectedFile,
): ExitCode {
  const rate = Math.round((rows - skipped) / Math.max(seconds, 0.001));
  const result = {
    ...{
      kind,
      [datasetKinds[kind].idField]: dataset_id,
      rows,
      rows_before: skipped,
      written: succeeded,
      replaced,
    },
    ...{ rejected: rejected.count, rejected_file: rejected.count > 0 ? rejected.path : null },
    ...{ seconds, rows_per_second: rate },
  };
  output.result(result, () =>
    [
      `${counted(rows - skipped, 'row')} in ${duration(seconds * 1000)} (${rate.toLocaleString('en')}/s) to ${dataset_id}: ${succeeded.toLocaleString('en')} written`,
      replaced > 0 ? `, ${replaced.toLocaleString('en')} replaced by later ones with the same id` : '',
      `, ${rejected.count.toLocaleString('en')} rejected.`,
    ].join(''),
  );
  if (rejected.count === 0) return exitCodes.ok;
  output.say(
    `Rejected records, with line and reason: ${rejected.path}. Mend them there or in the source, and import them again.`,
  );
  return exitCodes.rejected;
}

function stopped(error: unknown, rowsDone: number, canResume: boolean): Problem {
  const problem = problemOf(error);
  const done = `The first ${counted(rowsDone, 'row')} are done.`;
  const next = canResume
    ? `${done} Give the same command again: it goes on from there.`
    : `${done} Give the same rows again, with --skip-rows ${rowsDone}.`;
  if (problem instanceof Interrupted)
    return new Problem(problem.message, next, problem.exitCode, { code: problem.code });
  const { message, exitCode, code, requestId } = problem;
  return new Problem(message, `${problem.next} ${next}`, exitCode, { code, requestId });
}
