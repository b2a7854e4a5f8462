import { parseArgs } from 'node:util';

export interface Options {
  readonly json: boolean;
  readonly ephemeral: boolean;
  readonly help: boolean;
  /** Undefined: 8080, or the next one that is free. */
  readonly port: number | undefined;
}

export const USAGE = `npm run dev [-- options]: Tastegraph on this machine, with all it needs.

  --port N      listen on N (0: any free port) instead of 8080 or the next free one
  --ephemeral   start empty, with private services only, and leave nothing behind
  --json        print one line: {"base_url","api_key","api_secret"}

PostgreSQL is the one of DATABASE_URL, else a private one with its data in .dev/postgres, else a container.
Redis is the one of REDIS_URL, else a private one, else a container, else none.
`;

/** Throws with a sentence for the person when the arguments are not understood. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      ephemeral: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      port: { type: 'string' },
    },
  });
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new Error('--port must be a whole number from 0 to 65535.');
  }
  return { json: values.json, ephemeral: values.ephemeral, help: values.help, port };
}
