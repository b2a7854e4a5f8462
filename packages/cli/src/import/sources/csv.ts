import Papa from 'papaparse';
import { usageProblem } from '../../problem.ts';
import { type Dialect, stretches } from './csv-stretches.ts';
import { type Cells, type Chunk, longestRow, Malformed } from './source.ts';

export interface CsvOptions {
  readonly delimiter: string;
  /** The names of the columns where the source has no header. */
  readonly columns: readonly string[] | undefined;
}

/** As many as a chunk may have; those that are under way are remembered by their number. */
const mostRows = 2 ** 16;

/** What Papa.Parser answers; its types say any. */
interface Parsed {
  readonly data: string[][];
  readonly errors: readonly unknown[];
  readonly meta: { readonly cursor: number };
}

/** Rows as they are read, and how much of the text they are. */
interface Rows extends Chunk {
  readonly rows: (Cells | Malformed)[];
  readonly lines: number[];
  consumed: number;
}

/**
 * Rows of CSV from pieces of text. Papa's parser is asked for the whole rows of each piece; what is left of the last
 * one is put before the next. It is used by hand rather than through Papa.parse, whose streams push, so that
 * nothing is read ahead of the service and a quote that is never closed does not fill the memory.
 */
export class CsvReader {
  columns: readonly string[];
  readonly #delimiter: string;
  #line = 1;

  constructor({ delimiter, columns }: CsvOptions) {
    this.#delimiter = delimiter;
    this.columns = columns ?? [];
  }

  async *chunks(texts: AsyncIterable<string>): AsyncGenerator<Chunk> {
    let rest = '';
    let newline: Dialect['newline'] | undefined;
    for await (const text of texts) {
      rest += text;
      newline ??= newlineOf(withoutQuoted(rest), false);
      if (newline !== undefined) {
        const chunk = this.#read(rest, newline, false);
        rest = rest.slice(chunk.consumed);
        yield* inParts(chunk);
      }
      if (rest.length > longestRow) throw endless(this.#line);
    }
    if (rest === '') return;
    newline ??= newlineOf(withoutQuoted(rest), true) ?? newlineOf(rest, true) ?? '\n';
    const chunk = this.#read(rest.endsWith(newline) ? rest : rest + newline, newline, true);
    yield* inParts(chunk);
  }

  #read(text: string, newline: Dialect['newline'], isLastPiece: boolean): Rows {
    const dialect = { delimiter: this.#delimiter, newline };
    const found: Rows = { rows: [], lines: [], consumed: 0 };
    const parser = new Papa.Parser(dialect);
    const parsed = parser.parse(text, 0, true) as Parsed;
    const isWhole = !isLastPiece || parsed.meta.cursor === text.length;
    if (parsed.errors.length === 0 && isWhole) {
      this.#take(parsed.data, text, newline, found);
      found.consumed = parsed.meta.cursor;
      return found;
    }
    for (const { from, to, problem } of stretches(text, dialect, isLastPiece)) {
      const part = text.slice(from, to);
      if (problem === undefined)
        this.#take((parser.parse(part, 0, true) as Parsed).data, part, newline, found);
      else this.#refuse(problem, part, newline, found);
      found.consumed = to;
    }
    return found;
  }

  #take(data: string[][], text: string, newline: string, { rows, lines }: Rows): void {
    const hasQuotes = text.includes('"');
    const isMixed = newline === '\n' && text.includes('\r\n') && !text.includes('\r"');
    for (const row of data) {
      if (isMixed) trimReturn(row);
      const line = this.#line;
      this.#line += 1;
      if (hasQuotes) for (const cell of row) this.#line += linesIn(cell, newline);
      if (row.length === 1 && row[0] === '') continue;
      if (this.columns.length === 0) {
        this.columns = row.map((name) => name.trim());
        continue;
      }
      lines.push(line);
      rows.push(this.#check(row));
    }
  }

  #refuse(problem: string, text: string, newline: string, { rows, lines }: Rows): void {
    if (this.columns.length === 0)
      throw usageProblem(
        `Line ${this.#line}, the header, ${problem}.`,
        'Mend it; or where it is no header, name the columns with --columns.',
      );
    rows.push(new Malformed(problem, text.slice(0, -newline.length)));
    lines.push(this.#line);
    this.#line += linesIn(text, newline);
  }

  #check(row: string[]): Cells | Malformed {
    if (row.length === this.columns.length) return row;
    const reason = `has ${row.length} fields, and the columns are ${this.columns.length}`;
    return new Malformed(reason, row.join(this.#delimiter));
  }
}

/** A quote that turns out to be broken megabytes later gives back more rows at once than a piece has. */
function* inParts({ rows, lines }: Rows): Generator<Chunk> {
  for (let from = 0; from < rows.length; from += mostRows)
    yield { rows: rows.slice(from, from + mostRows), lines: lines.slice(from, from + mostRows) };
}

/** A header that ends in \n may have been put before rows that end in \r\n. */
function trimReturn(row: string[]): void {
  const last = row.at(-1);
  if (last?.endsWith('\r')) row[row.length - 1] = last.slice(0, -1);
}

/** As an editor counts them. */
function linesIn(text: string, newline: string): number {
  const mark = newline === '\r' ? '\r' : '\n';
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count += 1;
  return count;
}

/** Cells may have line breaks of another kind than the rows. A quote that is still open may close in the next piece. */
function withoutQuoted(text: string): string {
  return text.replaceAll(/"[^"]*(?:"|$)/g, '');
}

/** That of the first line. Undefined as long as no line has ended; a last \r may be half of one. */
function newlineOf(text: string, isWhole: boolean): Dialect['newline'] | undefined {
  const at = text.indexOf('\n');
  if (at >= 0) return text[at - 1] === '\r' ? '\r\n' : '\n';
  return (isWhole ? text : text.slice(0, -1)).includes('\r') ? '\r' : undefined;
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
