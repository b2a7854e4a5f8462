import Papa from 'papaparse';
import { SourceError } from '../source-error.ts';
import { type Dialect, splitSegments } from './csv-segments.ts';
import { type Cells, type Chunk, MalformedRow, maxRowLength } from './source.ts';

export interface CsvOptions {
  readonly delimiter: string;
  /** Column names, if the source has no header. */
  readonly columns: readonly string[] | undefined;
}

/** The maximum number of rows per chunk. */
const maxChunkRows = 2 ** 16;

/** The result of Papa.Parser, whose own type is any. */
interface Parsed {
  readonly data: string[][];
  readonly errors: readonly unknown[];
  readonly meta: { readonly cursor: number };
}

/** Parsed rows, and how many characters of the text they took. */
interface Rows extends Chunk {
  readonly rows: (Cells | MalformedRow)[];
  readonly lines: number[];
  consumed: number;
}

/**
 * Parses CSV from pieces of text. An incomplete last row is carried over to the next piece. Uses Papa's Parser directly,
 * because Papa.parse pushes rows: the reader must not run ahead of the service, nor buffer the file after an unclosed
 * quote.
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
      newline ??= newlineOf(stripQuoted(rest), false);
      if (newline !== undefined) {
        const chunk = this.#read(rest, newline, false);
        rest = rest.slice(chunk.consumed);
        yield* splitChunk(chunk);
      }
      if (rest.length > maxRowLength) throw rowTooLongError(this.#line);
    }
    if (rest === '') return;
    newline ??= newlineOf(stripQuoted(rest), true) ?? newlineOf(rest, true) ?? '\n';
    const chunk = this.#read(rest.endsWith(newline) ? rest : rest + newline, newline, true);
    yield* splitChunk(chunk);
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
    for (const { from, to, problem } of splitSegments(text, dialect, isLastPiece)) {
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
      throw new SourceError(
        `Line ${this.#line}, the header, ${problem}.`,
        'Fix the header, or if the file has none, name the columns with --columns.',
      );
    rows.push(new MalformedRow(problem, text.slice(0, -newline.length)));
    lines.push(this.#line);
    this.#line += linesIn(text, newline);
  }

  #check(row: string[]): Cells | MalformedRow {
    if (row.length === this.columns.length) return row;
    const cells = `${row.length.toLocaleString('en')} ${row.length === 1 ? 'cell' : 'cells'}`;
    const reason = `has ${cells}, expected ${this.columns.length}`;
    return new MalformedRow(reason, row.join(this.#delimiter));
  }
}

/** Splits large chunks: a quote that turns out to be broken megabytes later releases many rows at once. */
function* splitChunk({ rows, lines }: Rows): Generator<Chunk> {
  for (let from = 0; from < rows.length; from += maxChunkRows)
    yield { rows: rows.slice(from, from + maxChunkRows), lines: lines.slice(from, from + maxChunkRows) };
}

/** A header that ends in \n may have been added to rows that end in \r\n. */
function trimReturn(row: string[]): void {
  const last = row.at(-1);
  if (last?.endsWith('\r')) row[row.length - 1] = last.slice(0, -1);
}

/** Counts lines as an editor does. */
function linesIn(text: string, newline: string): number {
  const mark = newline === '\r' ? '\r' : '\n';
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count += 1;
  return count;
}

/** Cells may contain other line breaks than the rows. A quote that is still open may close in the next piece. */
function stripQuoted(text: string): string {
  return text.replaceAll(/"[^"]*(?:"|$)/g, '');
}

/** The newline of the first line; undefined until a line has ended. A final \r may be half of \r\n. */
function newlineOf(text: string, isWhole: boolean): Dialect['newline'] | undefined {
  const at = text.indexOf('\n');
  if (at >= 0) return text[at - 1] === '\r' ? '\r\n' : '\n';
  return (isWhole ? text : text.slice(0, -1)).includes('\r') ? '\r' : undefined;
}

function rowTooLongError(line: number) {
  return new SourceError(
    `Line ${line}: the row is longer than 4 MiB.`,
    'Check for an unclosed quote on that line, and check --format and --delimiter.',
  );
}

/** The common delimiter that occurs most often in the first line, outside quotes. */
export function guessDelimiter(head: string): string {
  const [line = ''] = head.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const counts = [',', '\t', ';', '|'].map((mark) => [mark, line.split(mark).length] as const);
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
