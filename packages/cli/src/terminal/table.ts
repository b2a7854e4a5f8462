import { styleText } from 'node:util';
import Table from 'cli-table3';

/** Longer texts would break the lines of most terminals. */
const longestCell = 60;

/** Columns side by side without lines between them, which is what pipes and eyes read best. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly unknown[])[],
  longest = longestCell,
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
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((place) => [place, '']),
);

/** What one thing has, a line each, and all of it. */
export function details(entries: readonly (readonly unknown[])[]): string {
  return table(['field', 'value'], entries, Infinity);
}

export function cell(value: unknown, longest = longestCell): string {
  // Control characters of somebody's data must not steer the terminal.
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

export function when(ts: number | null): string {
  return ts === null ? '-' : new Date(ts).toISOString().replace('T', ' ').slice(0, 19);
}

export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
