import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Problem, usageProblem } from '../problem.ts';
import { stdinName } from './sources/open.ts';

/** The file of rejected records is replaced: refuses to do so to anything else, before anything is created. */
export function checkRejectedPath(path: string, source: string): void {
  const rows = source === stdinName ? fstatSync(0) : statSync(source);
  const there = statSync(path, { throwIfNoEntry: false });
  if (!there) {
    if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) return;
    throw refused(`There is no folder ${dirname(path)} for the rejected records.`);
  }
  if (there.isDirectory()) throw refused(`${path} is a folder.`);
  if (!there.isFile()) return;
  if (isSame(there, rows))
    throw refused(`${path} is the source itself, and would be replaced by the rejected records.`);
  if (there.size > 0 && !holdsRejections(path))
    throw refused(`${path} is there already, and holds something other than rejected records.`);
}

function refused(message: string): Problem {
  return usageProblem(message, 'Name another file with --rejected.');
}

/** By any name, link or path. */
function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** By how a line of it begins. */
function holdsRejections(path: string): boolean {
  const head = Buffer.alloc(64);
  const file = openSync(path, 'r');
  try {
    const read = readSync(file, head, 0, head.length, 0);
    return /^\{"row":\d+,"line":\d+,/.test(head.toString('latin1', 0, read));
  } finally {
    closeSync(file);
  }
}
