import { SourceError } from '../source-error.ts';
import { parseJson } from './json.ts';
import { type Cells, type Chunk, MalformedRow, maxRowLength } from './source.ts';

/** Parses NDJSON, one object per line. The columns are the names of the fields, in order of first appearance. */
export class NdjsonReader {
  readonly columns: string[] = [];
  readonly #indexes = new Map<string, number>();
  #line = 0;

  async *chunks(texts: AsyncIterable<string>): AsyncGenerator<Chunk> {
    let rest = '';
    for await (const text of texts) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > maxRowLength)
        throw new SourceError(
          `Line ${this.#line + lines.length + 1} is longer than 4 MiB.`,
          'Check that the file is NDJSON, with one object per line.',
        );
      const chunk = this.#take(lines);
      if (chunk.rows.length > 0) yield chunk;
    }
    const chunk = this.#take([rest]);
    if (chunk.rows.length > 0) yield chunk;
  }

  #take(texts: readonly string[]): Chunk {
    const rows: (Cells | MalformedRow)[] = [];
    const lines: number[] = [];
    for (const text of texts) {
      this.#line += 1;
      if (text.trim() === '') continue;
      rows.push(this.#parse(text));
      lines.push(this.#line);
    }
    return { rows, lines };
  }

  #parse(text: string): Cells | MalformedRow {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      return new MalformedRow(`is not valid JSON: ${(error as Error).message}`, text);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return new MalformedRow('is not a JSON object', text);
    const cells: unknown[] = [];
    for (const [name, cell] of Object.entries(value)) cells[this.#columnIndex(name)] = cell;
    return cells;
  }

  #columnIndex(name: string): number {
    const known = this.#indexes.get(name);
    if (known !== undefined) return known;
    this.#indexes.set(name, this.columns.length);
    return this.columns.push(name) - 1;
  }
}
