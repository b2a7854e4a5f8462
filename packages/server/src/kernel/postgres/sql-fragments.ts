import { many } from './statement.ts';

/** SQL: a timestamp as the API shows it, in whole milliseconds since 1970. Null stays null. */
export const epochMs = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;

/** The size of one page of a list. */
export interface PageSize {
  readonly limit: number;
  /** The page ends with the row that reaches this many bytes of text; it has at least one row, if any exist. */
  readonly bytes: number;
}

/** Bounds of one page of a list that is ordered newest first. */
export interface PageBounds extends PageSize {
  /** Return only older rows. */
  readonly beforeKey: number;
}

/** An extra column of every list row. */
export interface PageRow {
  /** Bytes of this row and the rows before it, as text. */
  readonly page_bytes: number;
}

/** Bounds a list by bytes, in an order that is unique per row, so that no process holds more. The statement has its own LIMIT. */
export const boundedRows = (order: string, bytesParameter: string, statement: string) =>
  `SELECT * FROM (
    SELECT measured.*, (sum(row_bytes) OVER (ORDER BY ${order}))::float8 AS page_bytes
      FROM (SELECT r.*, octet_length(r::text) AS row_bytes FROM (${statement}) r) measured
  ) summed WHERE page_bytes - row_bytes < ${bytesParameter} ORDER BY ${order}`;

/**
 * One page of a list, newest first by `key`, a column that only grows, with its table: `t.row_key`. `text` is a query that a further condition can follow; the arguments
 * of the list are its $4 and following.
 */
export const newestFirst = <Args extends readonly unknown[], Row>(name: string, key: string, text: string) =>
  many<[bounds: PageBounds, ...args: Args], Row & PageRow>(
    name,
    boundedRows(
      `${key.slice(key.indexOf('.') + 1)} DESC`,
      '$3',
      `${text} AND ${key} < $1 ORDER BY ${key} DESC LIMIT $2`,
    ),
    ({ beforeKey, limit, bytes }, ...args) => [beforeKey, limit, bytes, ...args],
  );

/** Lists of different lengths as one array, because the rows of a PostgreSQL array all have the same length. */
interface PackedLists {
  readonly all: string[];
  /** Where each list begins and ends in `all`, as PostgreSQL counts: from 1, and with both ends. */
  readonly firsts: number[];
  readonly lasts: number[];
}

export function packLists(lists: Iterable<readonly string[]>): PackedLists {
  const packed: PackedLists = { all: [], firsts: [], lasts: [] };
  for (const list of lists) {
    packed.firsts.push(packed.all.length + 1);
    packed.all.push(...list);
    packed.lasts.push(packed.all.length);
  }
  return packed;
}
