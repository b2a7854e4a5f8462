import type { Kind } from '@tastegraph/files';
import { CliError, toCliError, usageError } from '../cli-error.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { datasetKinds } from '../find.ts';
import type { Output } from '../session.ts';
import { formatDuration, pluralize, shellQuote } from '../terminal/format.ts';
import { table } from '../terminal/table.ts';
import type { RejectedFile } from './rejected.ts';
import type { ImportOutcome } from './run-import.ts';

/** Prints the result of the import and returns the exit code. */
export function reportImport(
  output: Output,
  kind: Kind,
  dataset_id: string,
  skipped: number,
  { rows, succeeded, replaced, seconds }: ImportOutcome,
  rejected: RejectedFile,
): ExitCode {
  if (rows < skipped)
    throw usageError(
      `Nothing was imported: the source has ${pluralize(rows, 'row')}, and --skip-rows skips ${skipped.toLocaleString('en')}.`,
      `Run the command again with --dataset ${dataset_id}, and leave out --skip-rows or pass a smaller number.`,
    );
  const rate = Math.round((rows - skipped) / Math.max(seconds, 0.001));
  const result = {
    kind,
    [datasetKinds[kind].idField]: dataset_id,
    rows,
    rows_before: skipped,
    written: succeeded,
    replaced,
    rejected: rejected.count,
    rejected_file: rejected.count > 0 ? rejected.path : null,
    seconds,
    rows_per_second: rate,
  };
  output.result(result, () =>
    [
      `Imported ${pluralize(rows - skipped, 'row')} into ${dataset_id} in ${formatDuration(seconds * 1000)} (${rate.toLocaleString('en')}/s): ${succeeded.toLocaleString('en')} written`,
      replaced > 0 ? `, ${replaced.toLocaleString('en')} replaced by later rows with the same ID` : '',
      `, ${rejected.count.toLocaleString('en')} rejected.`,
    ].join(''),
  );
  if (rejected.count === 0) return exitCodes.ok;
  if (!output.json) output.info(describeRejected(rejected));
  output.info(
    `Rejected records are in ${rejected.path}, with line and reason. Fix them in the source and import it again, or extract, fix and import only these records:
  jq -c '.record // empty' ${shellQuote(rejected.path)} > fixed.ndjson    # without malformed rows; edit fixed.ndjson before the next command
  tastegraph import ${kind} fixed.ndjson --dataset ${dataset_id}`,
  );
  return exitCodes.rejected;
}

/** Most files have few kinds of mistakes: the first row of each says what to fix. */
function describeRejected({ kinds, count }: RejectedFile): string {
  const rows = kinds.map((kind) => [kind.line, kind.message, kind.value, kind.count]);
  const shown = kinds.reduce((sum, kind) => sum + kind.count, 0);
  const more = shown < count ? `\nand ${pluralize(count - shown, 'record')} for other reasons.` : '';
  return `${table(['line', 'reason', 'value', 'records'], rows)}${more}`;
}

export interface ImportCheckpoint {
  readonly file: string;
  readonly datasetId: string;
  readonly rowsDone: number;
  /** False for stdin, which cannot be recognized in the next run. */
  readonly hasStateFile: boolean;
}

/** Adds to the error how to resume the import. */
export function withResumeInstructions(error: unknown, checkpoint: ImportCheckpoint): CliError {
  const { message, exitCode, code, requestId, next } = toCliError(error);
  return new CliError(message, resumeInstructions(code, exitCode, next, checkpoint), exitCode, {
    code,
    requestId,
  });
}

function resumeInstructions(
  code: string,
  exitCode: ExitCode,
  next: string,
  checkpoint: ImportCheckpoint,
): string {
  const { file, datasetId, rowsDone, hasStateFile } = checkpoint;
  const skip = rowsDone > 0 ? ` --skip-rows ${rowsDone}` : '';
  const again = hasStateFile
    ? 'Run the same command again to continue from there.'
    : `To import the rest, run the command again on the same rows, with --dataset ${datasetId}${skip}.`;
  const all = `${describeProgress(rowsDone)} ${again}`;
  if (code === 'INTERRUPTED') return all;
  // The dataset does not exist any more, so the import cannot be resumed.
  if (code === 'NOT_FOUND')
    return hasStateFile
      ? 'Run the same command with --restart to start over. `tastegraph datasets` lists the datasets.'
      : 'Run the command again on all rows, with --create NAME or another --dataset. `tastegraph datasets` lists the datasets.';
  if (code === 'SOURCE_DAMAGED' && hasStateFile)
    return `Create the file again (\`gzip -t ${shellQuote(file)}\` checks it) and import it with --dataset ${datasetId}. A changed file is imported from the first row; records that are already written stay unchanged.`;
  // Corrected options make it a new import, and --create would fail because the dataset now exists.
  if (exitCode === exitCodes.usage && hasStateFile)
    return `${next} The dataset already exists: pass --dataset ${datasetId}.`;
  return `${next} ${all}`;
}

function describeProgress(rows: number): string {
  if (rows === 0) return 'No rows were imported yet.';
  return rows === 1 ? 'The first row was imported.' : `The first ${pluralize(rows, 'row')} were imported.`;
}
