import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/**
 * The fields of a row; null is SQL NULL. Strings are Latin-1, one character per byte: most fields are only compared or
 * looked up, and only a few need decoding (decodeText). The array is reused for the next row.
 */
export type CopiedRow = readonly (string | null)[];

/**
 * Streams the rows of a SELECT. COPY takes no parameters, so the statement must not contain text from callers. Uses one
 * or two socket chunks of memory; PostgreSQL waits while `onRow` runs. If `onRow` throws, the connection is still
 * inside the COPY and must be closed.
 */
export async function copyRows(
  client: pg.Client,
  select: string,
  onRow: (row: CopiedRow) => void,
): Promise<void> {
  const stream = client.query(copyTo(`COPY (${select}) TO STDOUT (ENCODING 'UTF8')`));
  // Without a listener, an error after `onRow` threw (the connection is closed then) would end the process.
  stream.on('error', () => undefined);
  const row: (string | null)[] = [];
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const text = rest + chunk.toString('latin1');
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      readRow(text, start, end, row);
      onRow(row);
      start = end + 1;
    }
    rest = text.slice(start);
  }
  if (rest !== '') throw new Error('COPY ended in the middle of a row');
}

function readRow(text: string, start: number, end: number, row: (string | null)[]): void {
  row.length = 0;
  for (let from = start; from <= end; ) {
    const tab = text.indexOf('\t', from);
    const to = tab === -1 || tab > end ? end : tab;
    const field = text.slice(from, to);
    row.push(field.includes('\\') ? unescapeField(field) : field);
    from = to + 1;
  }
}

/** COPY's escapes for characters that would end a field or a row. Any other escaped character is itself. */
const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function unescapeField(field: string): string | null {
  if (field === '\\N') return null;
  return field.replace(/\\(.)/gs, (_, character: string) => escapes[character] ?? character);
}

/** Decodes a field into its own memory: a slice would keep the whole chunk alive. */
export function decodeText(field: string): string {
  return Buffer.from(field, 'latin1').toString('utf8');
}

/** A field that the statement never leaves null. */
export function textField(row: CopiedRow, column: number): string {
  const field = row[column];
  if (typeof field !== 'string') throw new Error(`a copied row has no field ${column}`);
  return field;
}
