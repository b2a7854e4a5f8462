import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { stdinName } from '@tastegraph/files/open';
import { type CliError, usageError } from '../cli-error.ts';

/** The import replaces the file of rejected records. Fails if the path is any other file, before anything is created. */
export function checkRejectedPath(path: string, source: string): void {
  const sourceStats = source === stdinName ? fstatSync(0) : statSync(source);
  const existing = statSync(path, { throwIfNoEntry: false });
  if (!existing) {
    if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) return;
    throw pathError(`Cannot write rejected records to ${path}: folder ${dirname(path)} does not exist.`);
  }
  if (existing.isDirectory()) throw pathError(`Cannot write rejected records to ${path}: it is a folder.`);
  if (!existing.isFile()) return;
  if (isSame(existing, sourceStats))
    throw pathError(`Cannot write rejected records to ${path}: it is the source file.`);
  if (existing.size > 0 && !containsRejections(path))
    throw pathError(
      `Cannot write rejected records to ${path}: it is another file, which would be overwritten.`,
    );
}

function pathError(message: string): CliError {
  return usageError(message, 'Pass another path to --rejected.');
}

/** True also for links and other paths of the same file. */
function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Recognizes the file by the start of its first line. */
function containsRejections(path: string): boolean {
  const head = Buffer.alloc(64);
  const file = openSync(path, 'r');
  try {
    const read = readSync(file, head, 0, head.length, 0);
    return /^\{"row":\d+,"line":\d+,/.test(head.toString('latin1', 0, read));
  } finally {
    closeSync(file);
  }
}
