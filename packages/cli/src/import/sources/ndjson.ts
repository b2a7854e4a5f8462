import { usageProblem } from '../../problem.ts';
import { parseJson } from './json.ts';
import { type Cells, type Chunk, longestRow, Malformed } from './source.ts';

/** Rows of JSON, an object a line. The names that come up are the columns, in the order in which they do. */
export class NdjsonReader {
  readonly columns: string[] = [];
  readonly #places = new Map<string, number>();
  #line = 0;

  async *chunks(texts: AsyncIterable<string>): AsyncGenerator<Chunk> {
    let rest = '';
    for await (const text of texts) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestRow)
        throw usageProblem(
          `Line ${this.#line + lines.length + 1} is over 4 MiB.`,
          'Is it NDJSON, an object a line?',
        );
      const chunk = this.#take(lines);
      if (chunk.rows.length > 0) yield chunk;
    }
    const chunk = this.#take([rest]);
    if (chunk.rows.length > 0) yield chunk;
  }

  #take(texts: readonly string[]): Chunk {
    const rows: (Cells | Malformed)[] = [];
    const lines: number[] = [];
    for (const text of texts) {
      this.#line += 1;
      if (text.trim() === '') continue;
      rows.push(this.#parse(text));
      lines.push(this.#line);
    }
    return { rows, lines };
  }

  #parse(text: string): Cells | Malformed {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      return new Malformed(`is not JSON: ${(error as Error).message}`, text);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return new Malformed('is not a JSON object', text);
    const cells: unknown[] = [];
    for (const [name, cell] of Object.entries(value)) cells[this.#placeOf(name)] = cell;
    return cells;
  }

  #placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    this.#places.set(name, this.columns.length);
    return this.columns.push(name) - 1;
  }
}
