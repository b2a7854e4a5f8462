import Papa from 'papaparse';
import { usageProblem } from '../../problem.ts';
import { type Cells, type Chunk, longestRow, Malformed } from './source.ts';

export interface CsvOptions {
  readonly delimiter: string;
  /** The names of the columns where the source has no header. */
  readonly columns: readonly string[] | undefined;
}

/** What Papa.Parser answers; its types say any. */
interface Parsed {
  readonly data: string[][];
  readonly errors: readonly { readonly row?: number; readonly message: string }[];
  readonly meta: { readonly cursor: number };
}

/**
 * Rows of CSV from pieces of text. Papa's parser is asked for the whole rows of each piece; what is left of the last
 * one is put before the next. It is used by hand rather than through Papa.parse, whose streams push, so that
 * nothing is read ahead of the service and a quote that is never closed does not fill the memory.
 */
export class CsvReader {
  columns: readonly string[];
  readonly #options: CsvOptions;
  #line = 1;

  constructor(options: CsvOptions) {
    this.#options = options;
    this.columns = options.columns ?? [];
  }

  async *chunks(texts: AsyncIterable<string>): AsyncGenerator<Chunk> {
    let rest = '';
    let parser: Papa.Parser | undefined;
    for await (const text of texts) {
      rest += text;
      parser ??= new Papa.Parser({ delimiter: this.#options.delimiter, newline: newlineOf(rest) });
      const parsed = parser.parse(rest, 0, true) as Parsed;
      const chunk = this.#take(parsed, rest);
      rest = rest.slice(parsed.meta.cursor);
      if (rest.length > longestRow) throw endless(this.#line);
      if (chunk.rows.length > 0) yield chunk;
    }
    if (rest === '' || !parser) return;
    const chunk = this.#take(parser.parse(rest, 0, false) as Parsed, rest);
    if (chunk.rows.length > 0) yield chunk;
  }

  #take({ data, errors }: Parsed, text: string): Chunk {
    const broken = new Map(errors.map(({ row, message }) => [row, message]));
    const hasQuotes = text.includes('"');
    const rows: (Cells | Malformed)[] = [];
    const lines: number[] = [];
    for (const [place, row] of data.entries()) {
      const line = this.#line;
      this.#line += hasQuotes ? 1 + newlinesIn(row) : 1;
      if (row.length === 1 && row[0] === '') continue;
      if (this.columns.length === 0) {
        this.columns = row.map((name) => name.trim());
        continue;
      }
      lines.push(line);
      rows.push(this.#check(row, broken.get(place)));
    }
    return { rows, lines };
  }

  #check(row: string[], problem: string | undefined): Cells | Malformed {
    const { delimiter } = this.#options;
    if (problem !== undefined) return new Malformed(problem, row.join(delimiter));
    if (row.length === this.columns.length) return row;
    const reason = `has ${row.length} fields, and the columns are ${this.columns.length}`;
    return new Malformed(reason, row.join(delimiter));
  }
}

function newlinesIn(row: readonly string[]): number {
  let count = 0;
  for (const cell of row)
    for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count += 1;
  return count;
}

function newlineOf(text: string): '\r\n' | '\n' | '\r' {
  if (text.includes('\r\n')) return '\r\n';
  return text.includes('\r') && !text.includes('\n') ? '\r' : '\n';
}

function endless(line: number) {
  return usageProblem(
    `Line ${line}: a row does not end within 4 MiB.`,
    'Look for a quote that is opened there and not closed; or give --format and --delimiter as the file has them.',
  );
}

/** Which of the usual delimiters stands most often in the first line, quoted parts aside. */
export function guessDelimiter(head: string): string {
  const [line = ''] = head.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const counts = [',', '\t', ';', '|'].map((mark) => [mark, line.split(mark).length] as const);
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
