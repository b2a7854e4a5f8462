import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { brokenLinks } from './markdown-links.ts';

test('every link in our pages leads somewhere', () => {
  expect(brokenLinks(resolve(import.meta.dirname, '../..'))).toEqual([]);
});

test('a link that leads nowhere is found, with file and line', () => {
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
      'README.md:3: docs/gone.md: there is no such file',
      'README.md:3: docs/page.md#what-it-weighs: there is no such heading',
      'README.md:4: #nowhere: there is no such heading',
      'README.md:4: ../x.md: leads out of the repository',
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
