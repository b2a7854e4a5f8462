import { Help } from 'commander';

/** The columns of a terminal. A pipe or a file has no limit. */
export function columnsOf(stream: NodeJS.WritableStream): number {
  const { isTTY, columns } = stream as Partial<NodeJS.WriteStream>;
  return isTTY && columns ? columns : Infinity;
}

/** Indented lines are commands and tables: a break would end up in what the user copies, or in the wrong column. */
const isIndented = (line: string) => line.startsWith('  ');

/** Breaks lines at spaces where they are wider than the terminal, which would break them anywhere. */
export function fitText(text: string, columns: number): string {
  if (columns === Infinity) return text;
  return text
    .split('\n')
    .map((line) => (isIndented(line) ? line : wrap(line, columns)))
    .join('\n');
}

const help = new Help();

/** A word that is longer than `width` keeps its own line. */
function wrap(text: string, width: number): string {
  return help.boxWrap(text, Math.max(width, help.minWidthToWrap));
}

/** Wraps text that begins `indent` columns from the left. */
export function wrapIndented(text: string, columns: number, indent: number): string {
  if (columns === Infinity) return text;
  return wrap(text, columns - indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
}
