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
/** From the arguments of the function to the parameters of the statement. Without it, they are the same. */
type Bind<Args extends Values> = (...args: Args) => Values;
type Run<Args extends Values, Result> = (db: Queryable, ...args: Args) => Promise<Result>;

const asTheyAre = (...args: Values): Values => args;

/** The first row; undefined if there is none. */
export function one<Args extends Values, Row>(
  name: string,
  text: string,
  bind: Bind<Args> = asTheyAre,
): Run<Args, Row | undefined> {
  const own = statement(name, text);
  return async (db, ...args) => (await db.rows<Row>(own, bind(...args)))[0];
}

/** The first row of a statement that always returns one. Throws if it does not. */
export function only<Args extends Values, Row>(
  name: string,
  text: string,
  bind: Bind<Args> = asTheyAre,
): Run<Args, Row> {
  const own = statement(name, text);
  return async (db, ...args) => {
    const [row] = await db.rows<Row>(own, bind(...args));
    if (row === undefined) throw new Error(`${name} returned no row`);
    return row;
  };
}

/** All rows. */
export function many<Args extends Values, Row>(
  name: string,
  text: string,
  bind: Bind<Args> = asTheyAre,
): Run<Args, Row[]> {
  const own = statement(name, text);
  return async (db, ...args) => db.rows<Row>(own, bind(...args));
}

/** Nothing: the statement only writes or locks. */
export function none<Args extends Values>(
  name: string,
  text: string,
  bind: Bind<Args> = asTheyAre,
): Run<Args, void> {
  const own = statement(name, text);
  return async (db, ...args) => {
    await db.rows(own, bind(...args));
  };
}

/** Whether it returns a row, so whether it found or changed something. */
export function some<Args extends Values>(
  name: string,
  text: string,
  bind: Bind<Args> = asTheyAre,
): Run<Args, boolean> {
  const own = statement(name, text);
  return async (db, ...args) => (await db.rows(own, bind(...args))).length > 0;
}

/** The number of rows it returns, so how many it changed. */
export function affected<Args extends Values>(
  name: string,
  text: string,
  bind: Bind<Args> = asTheyAre,
): Run<Args, number> {
  const own = statement(name, text);
  return async (db, ...args) => (await db.rows(own, bind(...args))).length;
}

/** The only column of the first row; undefined if there is no row. */
export function value<Args extends Values, Value>(
  name: string,
  text: string,
  bind: Bind<Args> = asTheyAre,
): Run<Args, Value | undefined> {
  const own = statement(name, text);
  return async (db, ...args) => {
    const [row] = await db.rows<Record<string, Value>>(own, bind(...args));
    return row && Object.values(row)[0];
  };
}

/** The only column of all rows. */
export function values<Args extends Values, Value>(
  name: string,
  text: string,
  bind: Bind<Args> = asTheyAre,
): Run<Args, Value[]> {
  const own = statement(name, text);
  return async (db, ...args) =>
    (await db.rows<Record<string, Value>>(own, bind(...args))).flatMap((row) => Object.values(row));
}

/** The number in the only column of the first row; 0 if there is no row. */
export function count<Args extends Values>(
  name: string,
  text: string,
  bind: Bind<Args> = asTheyAre,
): Run<Args, number> {
  const find = value<Args, number>(name, text, bind);
  return async (db, ...args) => (await find(db, ...args)) ?? 0;
}
