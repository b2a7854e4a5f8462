import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commandLine, DATA_DIRECTORY } from './place.ts';
import { shortPath } from './workspace.ts';

export interface Options {
  readonly json: boolean;
  readonly ephemeral: boolean;
  readonly help: boolean;
  /** Undefined: 8080, or the next one that is free. */
  readonly port: number | undefined;
}

export const USAGE = `${commandLine('dev', '[options]')}: run Tastegraph on this machine with everything it needs.

  --port N      listen on N (0: any free port) instead of 8080 or the next free one
  --ephemeral   start empty, with private services only, and delete all data at the end
  --json        print one line: {"base_url","api_key","api_secret","console_link"}

PostgreSQL: the server at DATABASE_URL if set, otherwise a private one with its data in ${shortPath(join(DATA_DIRECTORY, 'postgres'))}, otherwise a container.
Redis: the server at REDIS_URL if set, otherwise a private one, otherwise a container, otherwise none.
`;

/** Throws an error with a message for the user if the arguments are invalid. */
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
