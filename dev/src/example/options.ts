import { parseArgs } from 'node:util';

/** `env` writes the settings of a shop to a file instead of starting one. */
const names = ['express', 'flask', 'env'] as const;

export interface ExampleOptions {
  readonly name: (typeof names)[number];
  /** 0: any free port. */
  readonly port: number;
  readonly help: boolean;
}

export const EXAMPLE_USAGE = `npm run example -- express|flask [options]: start an example shop on the server of \`npm run dev\`.

  --port N   listen on N (0: any free port) instead of 3000
  env        instead of a shop: write the settings that it reads to .dev/example/shop.env, to start it yourself

The first run imports a sample bookshop (synthetic data), trains a model and deploys it.
Server: TASTEGRAPH_URL, TASTEGRAPH_API_KEY and TASTEGRAPH_API_SECRET if set, otherwise the one that \`npm run dev\` started.
`;

/** Throws an error with a message for the user if the arguments are invalid. */
export function readExampleOptions(args: readonly string[]): ExampleOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '3000' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const name = names.find((known) => known === positionals[0]);
  if (!values.help && (!name || positionals.length > 1)) throw new Error('Pass express, flask or env.');
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error('--port must be a whole number from 0 to 65535.');
  return { name: name ?? 'env', port, help: values.help };
}
