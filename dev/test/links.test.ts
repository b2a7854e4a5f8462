import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { brokenLinks } from './markdown-links.ts';

test('our pages have no broken links', () => {
  expect(brokenLinks(resolve(import.meta.dirname, '../..'))).toEqual([]);
});

test('a broken link is reported with file and line', () => {
  const root = mkdtempSync(join(tmpdir(), 'tastegraph-links-'));
  try {
    mkdirSync(join(root, 'docs'));
    writeFileSync(
      join(root, 'README.md'),
      [
        '# Title',
        '[good](docs/page.md#what-it-costs-1), [good](docs), [`good`](docs/page.md), [elsewhere](https://example.com/x#y)',
        '[gone](docs/gone.md) and [no heading](docs/page.md#what-it-weighs)',
        '[no heading here](#nowhere), [here](#title), [out](../x.md)',
        '```text',
        '[code](docs/code.md)',
        '```',
        'An `[example](of/a.md)` in code, and [an id](docs/page.md#by-hand).',
      ].join('\n'),
    );
    writeFileSync(
      join(root, 'docs/page.md'),
      '## What it costs?\n## What it costs\n```text\n# What it weighs\n```\n<a id="by-hand"></a>\n',
    );
    expect(brokenLinks(root)).toEqual([
      'README.md:3: docs/gone.md: file not found',
      'README.md:3: docs/page.md#what-it-weighs: heading not found',
      'README.md:4: #nowhere: heading not found',
      'README.md:4: ../x.md: outside the repository',
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
