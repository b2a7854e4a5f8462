import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { datasetKinds } from '../find.ts';
import { Problem, problemOf, usageProblem } from '../problem.ts';
import type { Output } from '../session.ts';
import { duration } from '../terminal/import-progress.ts';
import { quoted } from '../terminal/quoted.ts';
import { counted } from '../terminal/table.ts';
import type { Kind } from './fields.ts';
import type { RejectedFile } from './rejected.ts';
import type { ImportOutcome } from './run-import.ts';

/** What was imported, and how it ended. */
export function report(
  output: Output,
  kind: Kind,
  dataset_id: string,
  skipped: number,
  { rows, succeeded, replaced, seconds }: ImportOutcome,
  rejected: RejectedFile,
): ExitCode {
  if (rows < skipped)
    throw usageProblem(
      `The source has ${counted(rows, 'row')} only, and the first ${skipped.toLocaleString('en')} were to be left out: nothing was imported.`,
      `Give a smaller --skip-rows, or none, with --dataset ${dataset_id}.`,
    );
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
    `Rejected records, with line and reason: ${rejected.path}. Mend them in the source and import it again, or by themselves:
  jq -c '.record // empty' ${quoted(rejected.path)} > mended.ndjson    # then mend them there; lines that are no rows are not among them
  tastegraph import ${kind} mended.ndjson --dataset ${dataset_id}`,
  );
  return exitCodes.rejected;
}

export interface Stop {
  readonly file: string;
  readonly datasetId: string;
  readonly rowsDone: number;
  /** False for stdin: nobody can tell that the rows are the same again. */
  readonly isNoted: boolean;
}

/** Why the import ended early, and how to go on with it. */
export function stopped(error: unknown, stop: Stop): Problem {
  const { message, exitCode, code, requestId, next } = problemOf(error);
  return new Problem(message, howToGoOn(code, exitCode, next, stop), exitCode, { code, requestId });
}

function howToGoOn(code: string, exitCode: ExitCode, next: string, stop: Stop): string {
  const { file, datasetId, rowsDone, isNoted } = stop;
  const skip = rowsDone > 0 ? ` --skip-rows ${rowsDone}` : '';
  const again = isNoted
    ? 'Give the same command again: it goes on from there.'
    : `Give the same rows again, with --dataset ${datasetId}${skip}.`;
  const all = `${doneSoFar(rowsDone)} ${again}`;
  if (code === 'INTERRUPTED') return all;
  // The dataset is what is not there: going on would fail for ever.
  if (code === 'NOT_FOUND')
    return isNoted
      ? 'Give the same command with --restart: it begins anew. `tastegraph datasets` shows what there is.'
      : 'Give all rows again, with --create NAME or another --dataset. `tastegraph datasets` shows what there is.';
  if (code === 'SOURCE_DAMAGED' && isNoted)
    return `Make it again (\`gzip -t ${quoted(file)}\` checks it) and import it with --dataset ${datasetId}: a file that has changed is begun anew, and what is written already stays as it is.`;
  // The command line that is mended is another import.
  if (exitCode === exitCodes.usage && isNoted) return `${next} The dataset is there: --dataset ${datasetId}.`;
  return `${next} ${all}`;
}

function doneSoFar(rows: number): string {
  if (rows === 0) return 'No row is done yet.';
  return rows === 1 ? 'The first row is done.' : `The first ${counted(rows, 'row')} are done.`;
}
