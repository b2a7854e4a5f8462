import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

test('git tracks no ignored files', () => {
  const listing = execFileSync('git', ['ls-files', '--cached', '--ignored', '--exclude-standard'], {
    cwd: resolve(import.meta.dirname, '../..'),
    encoding: 'utf8',
  });
  expect(listing.split('\n').filter(Boolean)).toEqual([]);
});
