import { cpus, totalmem } from 'node:os';

export interface Goal {
  readonly text: string;
  readonly reached: boolean;
}

export interface Report {
  readonly bench: string;
  /** Printed for people. */
  readonly tables: readonly { title: string; rows: readonly Record<string, string | number>[] }[];
  readonly goals: readonly Goal[];
  /** Printed for programs, in the line of JSON. */
  readonly figures: Record<string, unknown>;
}

/** Prints the tables, the goals, and one line of JSON. Returns whether every goal was reached. */
export function printReport({ bench, tables, goals, figures }: Report): boolean {
  for (const { title, rows } of tables) {
    console.log(`\n${title}`);
    printTable(rows);
  }
  console.log();
  for (const { text, reached } of goals) console.log(`${reached ? 'reached' : 'MISSED '}  ${text}`);
  const machine = {
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  console.log(JSON.stringify({ bench, machine, goals, ...figures }));
  return goals.every((goal) => goal.reached);
}

function printTable(rows: readonly Record<string, string | number>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => format(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  for (const row of cells)
    console.log(row.map((cell, index) => cell.padStart(widths[index] ?? 0)).join('  '));
}

function format(value: string | number | undefined): string {
  if (typeof value !== 'number') return value ?? '';
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(value < 10 ? 2 : 1);
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The smallest value that at least `percent` percent of the values do not exceed (nearest rank). */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
