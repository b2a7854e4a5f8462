import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const script = resolve(import.meta.dirname, '../install-once');
let clone: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'tastegraph-clone-'));
  mkdirSync(join(clone, 'bin'));
  const npm = '#!/bin/sh\necho "npm says"\necho "$@" >> calls\n';
  writeFileSync(join(clone, 'bin/npm'), npm, { mode: 0o755 });
});
afterEach(() => rmSync(clone, { recursive: true }));

function run(): string {
  const PATH = `${join(clone, 'bin')}:${process.env['PATH'] ?? ''}`;
  return execFileSync(script, {
    cwd: clone,
    env: { PATH },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

test('installs the dependencies of a fresh clone without writing to stdout', () => {
  expect(run()).toBe('');
  expect(readFileSync(join(clone, 'calls'), 'utf8')).toMatch(/^ci .*--no-json/);
});

test('repeats an interrupted install', () => {
  mkdirSync(join(clone, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(clone, 'node_modules/.bin/node'), '', { mode: 0o755 });
  expect(run()).toBe('');
  expect(readFileSync(join(clone, 'calls'), 'utf8')).toMatch(/^ci /);
});

test('does nothing if the dependencies are installed', () => {
  mkdirSync(join(clone, 'node_modules'));
  writeFileSync(join(clone, 'node_modules/.package-lock.json'), '{}');
  expect(run()).toBe('');
  expect(() => readFileSync(join(clone, 'calls'))).toThrow('ENOENT');
});
