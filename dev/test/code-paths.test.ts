import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { missingNames, missingPaths } from './code-paths.ts';

test('every code path in our pages and comments exists', () => {
  expect(missingPaths(resolve(import.meta.dirname, '../..'))).toEqual([]);
});

test('every name of code in CONTRIBUTING.md exists', () => {
  expect(missingNames(resolve(import.meta.dirname, '../..'), 'CONTRIBUTING.md')).toEqual([]);
});

test('a path that does not exist is reported with file and line', () => {
  const root = mkdtempSync(join(tmpdir(), 'tastegraph-paths-'));
  try {
    for (const folder of ['src/jobs/engine', 'docs/guide'])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(
      join(root, 'src/jobs/engine/heartbeat-thread.ts'),
      '// See `run-jobs.ts` and heartbeat-thread.ts.\n',
    );
    writeFileSync(join(root, 'docs/guide/page.md'), 'Save it as `mine.ts`.\n');
    writeFileSync(
      join(root, 'ARCHITECTURE.md'),
      [
        '`src/jobs/engine/heartbeat-thread.ts`, `engine/heartbeat*.ts`, `jobs/engine/`, `models/`, `a/b`',
        '`engine/heartbeat.ts`, `thread.ts`, `jobs/motor/`',
        '1. `src/jobs/old.ts`: like this one.',
        '```text',
        '`code.ts`',
        '```',
      ].join('\n'),
    );
    expect(missingPaths(root)).toEqual([
      'ARCHITECTURE.md:2: engine/heartbeat.ts',
      'ARCHITECTURE.md:2: thread.ts',
      'ARCHITECTURE.md:2: jobs/motor/',
      'ARCHITECTURE.md:3: src/jobs/old.ts',
      'src/jobs/engine/heartbeat-thread.ts:1: run-jobs.ts',
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
