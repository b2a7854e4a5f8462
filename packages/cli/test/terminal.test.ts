import { describe, expect, test } from 'vitest';
import { fitText } from '../src/terminal/fit.ts';
import { formatDuration } from '../src/terminal/format.ts';
import { histogram } from '../src/terminal/histogram.ts';
import { cell, detailsTable, table } from '../src/terminal/table.ts';

test('tables align wide characters and replace control characters', () => {
  expect(
    table(
      ['id', 'title'],
      [
        ['1', '千と千尋'],
        ['22', 'a\u001b[31mb'],
        ['3', null],
      ],
    ),
  ).toBe('id  title\n1   千と千尋\n22  a [31mb\n3   -');
});

describe('a table that is wider than the terminal', () => {
  const heads = ['name', 'stage', 'created', 'id'];
  const row = (name: string) => [name, null, '2026-11-17 08:15:38', 'job_01m7m9718ke4dr3gbt6f3qawts'];
  const lines = (text: string) => text.split('\n');

  test('leaves out columns that are empty', () => {
    expect(lines(table(heads, [row('first')], { columns: 64 }))).toEqual([
      'name   created              id',
      'first  2026-11-17 08:15:38  job_01m7m9718ke4dr3gbt6f3qawts',
    ]);
  });

  test('wraps cells between words', () => {
    expect(lines(table(heads, [row('trained from the CLI'), row('second')], { columns: 54 }))).toEqual([
      'name        created     id',
      'trained     2026-11-17  job_01m7m9718ke4dr3gbt6f3qawts',
      'from the    08:15:38',
      'CLI',
      'second      2026-11-17  job_01m7m9718ke4dr3gbt6f3qawts',
      '            08:15:38',
    ]);
  });

  test('becomes a block per row if even words do not fit', () => {
    expect(lines(table(heads, [row('first'), row('千と千尋')], { columns: 45 }))).toEqual([
      'name     first',
      'created  2026-11-17 08:15:38',
      'id       job_01m7m9718ke4dr3gbt6f3qawts',
      '',
      'name     千と千尋',
      'created  2026-11-17 08:15:38',
      'id       job_01m7m9718ke4dr3gbt6f3qawts',
    ]);
  });

  test('never breaks a word, at any width', () => {
    const rows = [row('trained from the CLI'), row('an-uncommonly-long-name and more')];
    const words = new Set(rows.flat().flatMap((value) => (value ?? '').split(' ')));
    for (let columns = 40; columns < 120; columns++)
      for (const word of table(heads, rows, { columns }).split(/\s+/))
        if (!heads.includes(word) && word !== '-') expect(words).toContain(word);
  });
});

test('details wrap beside their label, and a word that is too long goes below it', () => {
  const url = 'http://127.0.0.1:8081/projects/prj_01m7m96es5e4dr3gagx5fdm7aj';
  expect(
    detailsTable(
      [
        ['why', 'The dataset has no events of the target type yet, so nothing can be learned.'],
        ['serving uri', url],
      ],
      60,
    ).split('\n'),
  ).toEqual([
    'why          The dataset has no events of the target type',
    '             yet, so nothing can be learned.',
    'serving uri',
    `  ${url}`,
  ]);
});

test('a long cell is cut between words', () => {
  expect(cell('Old Prague: A History +0.11, A Short History of Venice +0.0055', 60)).toBe(
    'Old Prague: A History +0.11, A Short History of Venice…',
  );
});

test('text is wrapped for a terminal, but commands that a user copies are not', () => {
  const command = `  tastegraph import events fixed.ndjson --dataset ${'x'.repeat(40)}`;
  expect(fitText(`one two three four five six seven eight nine\n${command}`, 40)).toBe(
    `one two three four five six seven eight\nnine\n${command}`,
  );
});

test('a histogram shows every bin that is not empty', () => {
  const bins = [
    { from: 0, to: 0.5, count: 1000 },
    { from: 0.5, to: 0.75, count: 1 },
    { from: 0.75, to: 1, count: 0 },
  ];
  const lines = histogram(bins).split('\n');
  expect(lines.map((line) => line.replaceAll(/[^█]/g, '').length)).toEqual([40, 1, 0]);
  expect(lines[0]).toMatch(/^0\.000 to 0\.500 █+ 1,000$/);
});

test.each([
  [900, '1 s'],
  [61_000, '1 min 1 s'],
  [3_700_000, '1 h 1 min'],
])('%i ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
