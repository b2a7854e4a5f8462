import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly keep: boolean;
  /** A folder to write the shop to instead. */
  readonly write: string | undefined;
  readonly help: boolean;
}

export const DEMO_USAGE = `npm run demo [-- options]: a made bookshop, from its records to recommendations.

  --keep        keep the server running at the end, until Ctrl-C
  --write DIR   only write the shop to DIR, as users.ndjson, items.ndjson and events.ndjson, for an import of your own

It starts a PostgreSQL, a Redis and a server of its own and leaves nothing behind.
`;

/** Throws with a sentence for the person when the arguments are not understood. */
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
