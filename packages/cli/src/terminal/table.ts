import { styleText } from 'node:util';
import Table from 'cli-table3';
import stringWidth from 'string-width';
import { columnsOf, wrapIndented } from './fit.ts';

/** Longer cells are cut: an attribute may be a whole text. */
const maxCellLength = 60;
const gap = 2;

/**
 * Aligns columns without borders, for readers and for pipes. Where that is wider than the terminal, empty columns are left out, then
 * cells wrap between words, and if that is still too wide, each row becomes a block of lines.
 */
export function table(
  heads: readonly string[],
  rows: readonly (readonly unknown[])[],
  { longest = maxCellLength, columns = columnsOf(process.stdout) } = {},
): string {
  const cells = rows.map((row) => row.map((value) => cell(value, longest)));
  if (widthOf(heads, cells) <= columns) return draw(heads, cells);
  const used = heads.map((_, column) => cells.some((row) => row[column] !== '-' && row[column] !== ''));
  const pick = (row: readonly string[]) => row.filter((_, column) => used[column]);
  const [fewerHeads, fewerCells] = [pick(heads), cells.map(pick)];
  if (widthOf(fewerHeads, fewerCells) <= columns) return draw(fewerHeads, fewerCells);
  const widths = wrappedWidths([fewerHeads, ...fewerCells], columns);
  if (widths) return draw(fewerHeads, fewerCells, widths);
  return fewerCells
    .map((row) =>
      details(
        fewerHeads.map((head, column) => [head, row[column] ?? '']),
        columns,
      ),
    )
    .join('\n\n');
}

/** Whether the table needs no wrapping. */
export function fitsTerminal(heads: readonly string[], rows: readonly (readonly string[])[]): boolean {
  return widthOf(heads, rows) <= columnsOf(process.stdout);
}

/** One line per field of an object, without truncation. */
export function detailsTable(
  entries: readonly (readonly [string, unknown])[],
  columns = columnsOf(process.stdout),
): string {
  return details(
    entries.map(([name, value]) => [name, cell(value, Infinity)]),
    columns,
  );
}

/** An object with a line per field. Lists and objects are shown as JSON. */
export const fieldsTable = (object: object) =>
  detailsTable(
    Object.entries(object).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    ]),
  );

export function cell(value: unknown, longest = maxCellLength): string {
  // Control characters in the data must not reach the terminal.
  const plain = textOf(value).replaceAll(/\p{Cc}+/gu, ' ');
  if (plain.length <= longest) return plain;
  const cut = plain.slice(0, longest - 1);
  const atSpace = cut.lastIndexOf(' ');
  return `${atSpace > longest / 2 ? cut.slice(0, atSpace) : cut}…`;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return value;
  if (typeof value === 'number')
    return Number.isInteger(value) ? value.toLocaleString('en') : String(Number(value.toPrecision(4)));
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
}

function draw(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  widths?: readonly number[],
): string {
  const sheet = new Table({
    head: heads.map(bold),
    chars: noLines,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    ...(widths && { colWidths: widths.map((width) => width + gap), wordWrap: true }),
  });
  for (const row of rows) sheet.push([...row]);
  return sheet
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const noLines = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((part) => [part, '']),
);

/** Labels in one column, and each value beside its label, or below it if its longest word does not fit there. */
function details(entries: readonly (readonly [string, string])[], columns: number): string {
  const labelWidth = Math.max(0, ...entries.map(([label]) => stringWidth(label)));
  const indent = labelWidth + gap;
  return entries
    .map(([label, value]) => {
      if (longestWord(value) > columns - indent) return `${bold(label)}\n${' '.repeat(gap)}${value}`;
      const padding = ' '.repeat(indent - stringWidth(label));
      return `${bold(label)}${padding}${wrapIndented(value, columns, indent)}`.trimEnd();
    })
    .join('\n');
}

const bold = (text: string) => (process.stdout.isTTY ? styleText('bold', text) : text);

function widthOf(heads: readonly string[], rows: readonly (readonly string[])[]): number {
  return sumOf(columnWidths([heads, ...rows], stringWidth)) + gap * (heads.length - 1);
}

/** Widths with which no word breaks, the space that is left going to the columns with the most lines; undefined if there are none. */
function wrappedWidths(rows: readonly (readonly string[])[], columns: number): number[] | undefined {
  const natural = columnWidths(rows, stringWidth);
  const widths = columnWidths(rows, longestWord);
  let left = columns - gap * (widths.length - 1) - sumOf(widths);
  if (left < 0) return undefined;
  const linesOf = (column: number) => (natural[column] ?? 0) / (widths[column] ?? 1);
  for (; left > 0; left--) {
    let tallest = 0;
    for (const column of widths.keys()) if (linesOf(column) > linesOf(tallest)) tallest = column;
    if (linesOf(tallest) <= 1) break;
    widths[tallest] = (widths[tallest] ?? 0) + 1;
  }
  return widths;
}

function columnWidths(rows: readonly (readonly string[])[], measure: (text: string) => number): number[] {
  const [heads = []] = rows;
  return heads.map((_, column) => rows.reduce((most, row) => Math.max(most, measure(row[column] ?? '')), 1));
}

function longestWord(text: string): number {
  return text.split(/\s+/).reduce((most, word) => Math.max(most, stringWidth(word)), 0);
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
