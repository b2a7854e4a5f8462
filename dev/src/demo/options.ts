import { parseArgs } from 'node:util';
import { commandLine } from '../command/place.ts';

export interface DemoOptions {
  readonly keep: boolean;
  /** The folder to write the shop to, instead of running the demo. */
  readonly write: string | undefined;
  /** The scenario in which readers visit a project that exists, instead of running the demo. */
  readonly visit: string | undefined;
  readonly help: boolean;
}

export const DEMO_USAGE = `${commandLine('demo', '[options]')}: import a sample bookshop (synthetic data), train a model and get recommendations.

  --keep        keep the server running at the end, until Ctrl-C
  --write DIR   only write the shop to DIR, as users.ndjson, items.ndjson and events.ndjson, to import yourself
  --visit NAME  only let 1,000 readers visit the project "bookshop" at TASTEGRAPH_URL, in the scenario NAME: they open and buy
                what is to their taste, and the true click rate is printed

The demo starts its own PostgreSQL, Redis and server, and deletes all data at the end.
`;

/** Throws an error with a message for the user if the arguments are invalid. */
export function readDemoOptions(args: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      keep: { type: 'boolean', default: false },
      write: { type: 'string' },
      visit: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return { keep: values.keep, write: values.write, visit: values.visit, help: values.help };
}
