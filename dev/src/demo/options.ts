import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly keep: boolean;
  /** The folder to write the shop to, instead of running the demo. */
  readonly write: string | undefined;
  readonly help: boolean;
}

export const DEMO_USAGE = `npm run demo [-- options]: import a sample bookshop (synthetic data), train a model and get recommendations.

  --keep        keep the server running at the end, until Ctrl-C
  --write DIR   only write the shop to DIR, as users.ndjson, items.ndjson and events.ndjson, to import yourself

The demo starts its own PostgreSQL, Redis and server, and deletes all data at the end.
`;

/** Throws an error with a message for the user if the arguments are invalid. */
export function readDemoOptions(args: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      keep: { type: 'boolean', default: false },
      write: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return { keep: values.keep, write: values.write, help: values.help };
}
