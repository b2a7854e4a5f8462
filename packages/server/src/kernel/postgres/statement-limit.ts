import type pg from 'pg';

/** Internals of the driver's connection. Not in its types; `prepared-statements.test.ts` fails if they change. */
interface Connection {
  /** The statements prepared on the server, by name. */
  readonly parsedStatements: Record<string, string>;
  parse(query: { readonly name?: string }): void;
  bind(query: { readonly statement?: string }): void;
  close(target: { readonly type: 'S'; readonly name: string }): void;
}

/**
 * Keeps at most `max` statements prepared on a connection. Closes the least recently used one in the message that
 * prepares the next, so it costs no round trip. Statements are named by the tables they read: a process that serves
 * projects in all partitions would prepare more than a thousand, which take 200 MB per backend.
 */
export function limitStatements(client: pg.ClientBase, max: number): void {
  const { connection } = client as unknown as { connection: Connection };
  /** Least recently used first. */
  const prepared = new Set<string>();
  const parse = connection.parse.bind(connection);
  const bind = connection.bind.bind(connection);
  connection.parse = (query) => {
    if (query.name) {
      for (const name of prepared) {
        if (prepared.size < max) break;
        prepared.delete(name);
        Reflect.deleteProperty(connection.parsedStatements, name);
        connection.close({ type: 'S', name });
      }
    }
    parse(query);
  };
  connection.bind = (query) => {
    if (query.statement) {
      prepared.delete(query.statement);
      prepared.add(query.statement);
    }
    bind(query);
  };
}
