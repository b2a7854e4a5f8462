import type { Queryable, Statement } from './pool.ts';

const registry = new Map<string, string>();

/**
 * A prepared statement, and one entry of `listStatements`. For a function that does more than run it; otherwise, the forms below declare the
 * statement and its function at once. Throws if the name is taken: a connection prepares one text per name.
 */
export function statement(name: string, text: string): Statement {
  if (registry.has(name)) throw new Error(`two statements have the name ${name}`);
  registry.set(name, text);
  return { name, text };
}

/** Every statement of the modules loaded so far, except those whose text is made when they run, such as one per partition. */
export function listStatements(): Statement[] {
  return Array.from(registry, ([name, text]) => ({ name, text }));
}

/** A statement for each key, with the prefix and the key as its name. */
export function statementPer<Key extends string>(
  prefix: string,
  texts: Readonly<Record<Key, string>>,
): Readonly<Record<Key, Statement>> {
  const entries = Object.entries<string>(texts).map(([key, text]) => [
    key,
    statement(`${prefix}_${key}`, text),
  ]);
  return Object.fromEntries(entries) as Record<Key, Statement>;
}

type Values = readonly unknown[];
/** `bind`: from the arguments of the function to the parameters of the statement. Without it, they are the same. */
type Declaration<Args extends Values> = [name: string, text: string, bind?: (...args: Args) => Values];
type Run<Args extends Values, Result> = (db: Queryable, ...args: Args) => Promise<Result>;

const mapRows =
  <Args extends Values, Row, Result>(
    list: Run<Args, Row[]>,
    take: (rows: Row[]) => Result,
  ): Run<Args, Result> =>
  async (db, ...args) =>
    take(await list(db, ...args));

/** All rows. */
export function many<Args extends Values, Row>(
  name: string,
  text: string,
  bind: (...args: Args) => Values = (...args) => args,
): Run<Args, Row[]> {
  const own = statement(name, text);
  return async (db, ...args) => db.rows<Row>(own, bind(...args));
}

/** The first row; undefined if there is none. */
export const one = <Args extends Values, Row>(
  ...declaration: Declaration<Args>
): Run<Args, Row | undefined> => mapRows(many<Args, Row>(...declaration), ([row]) => row);

/** The first row of a statement that always returns one. Throws if it does not. */
export const only = <Args extends Values, Row>(...declaration: Declaration<Args>): Run<Args, Row> =>
  mapRows(many<Args, Row>(...declaration), ([row]) => {
    if (row === undefined) throw new Error(`${declaration[0]} returned no row`);
    return row;
  });

/** Nothing: the statement only writes or locks. */
export const none = <Args extends Values>(...declaration: Declaration<Args>): Run<Args, void> =>
  mapRows(many(...declaration), () => undefined);

/** Whether it returns a row, so whether it found or changed something. */
export const some = <Args extends Values>(...declaration: Declaration<Args>): Run<Args, boolean> =>
  mapRows(many(...declaration), (rows) => rows.length > 0);

/** The number of rows it returns, so how many it changed. */
export const affected = <Args extends Values>(...declaration: Declaration<Args>): Run<Args, number> =>
  mapRows(many(...declaration), (rows) => rows.length);

/** The only column of all rows. */
export const values = <Args extends Values, Value>(...declaration: Declaration<Args>): Run<Args, Value[]> =>
  mapRows(many<Args, Record<string, Value>>(...declaration), (rows) =>
    rows.flatMap((row) => Object.values(row)),
  );

/** The only column of the first row; undefined if there is no row. */
export const value = <Args extends Values, Value>(
  ...declaration: Declaration<Args>
): Run<Args, Value | undefined> =>
  mapRows(many<Args, Record<string, Value>>(...declaration), ([row]) => row && Object.values(row)[0]);

/** The number in the only column of the first row; 0 if there is no row. */
export const count = <Args extends Values>(...declaration: Declaration<Args>): Run<Args, number> =>
  mapRows(many<Args, Record<string, number>>(...declaration), ([row]) => Object.values(row ?? {})[0] ?? 0);
