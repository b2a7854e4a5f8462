import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/**
 * The fields of a row; null is SQL's. Each byte is a character (Latin-1): most fields are looked up or compared, for which
 * bytes do, and only a few are worth decoding (decodeText). The array is used again for the next row.
 */
export type CopiedRow = readonly (string | null)[];

/**
 * Streams the rows of a SELECT, of which all text must be ours: COPY takes no parameters. Memory is a chunk or two of
 * what the socket delivers; PostgreSQL waits while `onRow` works. When `onRow` throws, the connection is left in the middle
 * of the COPY, fit only to be closed.
 */
export async function copyRows(
  client: pg.Client,
  select: string,
  onRow: (row: CopiedRow) => void,
): Promise<void> {
  const stream = client.query(copyTo(`COPY (${select}) TO STDOUT (ENCODING 'UTF8')`));
  // An error while nobody iterates (the connection is closed after onRow threw) would end the process.
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

/** What COPY writes for the characters that would end a field or a row; a backslash stands for itself otherwise. */
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

/** The text of a field, in memory of its own: a slice would keep the whole chunk alive. */
export function decodeText(field: string): string {
  return Buffer.from(field, 'latin1').toString('utf8');
}

/** A field that the statement leaves null in no row. */
export function textField(row: CopiedRow, column: number): string {
  const field = row[column];
  if (typeof field !== 'string') throw new Error(`a copied row has no field ${column}`);
  return field;
}
