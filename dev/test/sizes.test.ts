import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** A folder that a reader takes in at a glance. */
const maxFilesInFolder = 25;
/** A folder directly in packages/server/src, with all that is below it. */
const maxLinesInModule = 6_000;
/** Two screens. A function that holds others is as long as all of them. */
const maxLinesInFunction = 120;

const source = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((path) => /^(packages\/[^/]+|bench|dev)\/src\/.*\.(tsx?|mjs|js)$/.test(path))
  .flatMap((path) => {
    try {
      return [{ path, text: readFileSync(new URL(path, root), 'utf8') }];
    } catch {
      // Deleted, and not yet committed.
      return [];
    }
  });

function above(sizes: ReadonlyMap<string, number>, limit: number): string[] {
  return Array.from(sizes)
    .filter(([, size]) => size > limit)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, size]) => `${name}: ${size}`);
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

/** Lines of every function of a file, by where it starts. */
function functionsOf(path: string, text: string): [string, number][] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: [string, number][] = [];
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const first = lineAt(node.getStart(file));
      found.push([`${path}:${first}`, lineAt(node.end) - first + 1]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test('no folder has more source files than a reader takes in', () => {
  const files = new Map<string, number>();
  for (const { path } of source) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1);
  expect(above(files, maxFilesInFolder)).toEqual([]);
});

test('no module of the server outgrows its name', () => {
  const lines = new Map<string, number>();
  for (const { path, text } of source) {
    const [, name] = /^packages\/server\/src\/([^/]+)\//.exec(path) ?? [];
    if (name !== undefined) lines.set(name, (lines.get(name) ?? 0) + linesOf(text));
  }
  expect(above(lines, maxLinesInModule)).toEqual([]);
});

test('no function is longer than two screens', () => {
  // A file of no more lines holds no longer function; parsing takes most of the time here.
  const long = source.filter(({ text }) => linesOf(text) > maxLinesInFunction);
  const lines = new Map(long.flatMap(({ path, text }) => functionsOf(path, text)));
  expect(above(lines, maxLinesInFunction)).toEqual([]);
});
