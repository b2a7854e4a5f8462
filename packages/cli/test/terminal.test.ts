import { expect, test } from 'vitest';
import { complete } from '../src/completion.ts';
import { exitCodes } from '../src/exit-codes.ts';
import { createProgram } from '../src/program.ts';
import { formatDuration } from '../src/terminal/format.ts';
import { histogram } from '../src/terminal/histogram.ts';
import { table } from '../src/terminal/table.ts';

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

test('completion suggests commands, options and choices, and leaves files to the shell', () => {
  const context = { signal: new AbortController().signal, exitCode: exitCodes.ok };
  const program = createProgram('0.0.0', context);
  expect(complete(program, ['pro'])).toEqual(['project']);
  expect(complete(program, ['project', 'c'])).toEqual(['create']);
  expect(complete(program, ['jobs', '--status', 'S'])).toEqual(['SUCCEED']);
  expect(complete(program, ['import', 'items', ''])).toEqual([]);
  expect(complete(program, ['train', '--j'])).toEqual(['--json']);
});
