import { styleText } from 'node:util';
import Table from 'cli-table3';

/** Longer cells would wrap on most terminals. */
const maxCellLength = 60;

/** Aligns columns without borders, for readers and for pipes. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly unknown[])[],
  longest = maxCellLength,
): string {
  const sheet = new Table({
    head: heads.map((head) => (process.stdout.isTTY ? styleText('bold', head) : head)),
    chars: noLines,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  for (const row of rows) sheet.push(row.map((value) => cell(value, longest)));
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

/** One line per field of an object, without truncation. */
export function detailsTable(entries: readonly (readonly unknown[])[]): string {
  return table(['field', 'value'], entries, Infinity);
}

export function cell(value: unknown, longest = maxCellLength): string {
  // Control characters in the data must not reach the terminal.
  const plain = textOf(value).replaceAll(/\p{Cc}+/gu, ' ');
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return value;
  if (typeof value === 'number')
    return Number.isInteger(value) ? value.toLocaleString('en') : String(Number(value.toPrecision(4)));
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
}
