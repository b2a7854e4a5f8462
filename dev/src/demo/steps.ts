import { styleText } from 'node:util';
import { showStep } from '../command/screen.ts';

/** Runs a step, shows that it is running, and prints its outcome and duration. */
export async function step<T>(
  name: string,
  work: () => Promise<T>,
  outcome: (result: T) => string,
): Promise<T> {
  showStep(name);
  const startedAt = performance.now();
  const result = await work();
  showStep('');
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
  console.log(`${styleText('dim', `${seconds} s`)}  ${outcome(result)}`);
  return result;
}

/** Aligns columns, and truncates cells that are too wide for a terminal. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widest = 60;
  const cut = (text: string) => (text.length > widest ? `${text.slice(0, widest - 1)}…` : text);
  const cells = [header, ...rows].map((row) => row.map(cut));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row, index) => {
      const line = `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
      return index === 0 ? styleText('dim', line) : line;
    })
    .join('\n');
}
