import {
  type Answer,
  type CallOptions,
  type OperationName,
  type Request,
  Tastegraph,
  type TastegraphOptions,
} from '@tastegraph/sdk';
import { usageError } from './cli-error.ts';
import type { Credentials, WriteCredentials } from './settings.ts';
import { commandsAsTyped } from './terminal/commands-as-typed.ts';
import { columnsOf, fitText } from './terminal/fit.ts';
import { table } from './terminal/table.ts';

/** What a command needs to run. */
export interface Session {
  readonly client: Tastegraph;
  readonly output: Output;
  /** Aborts on Ctrl-C or SIGTERM; its reason is an `InterruptedError`. */
  readonly signal: AbortSignal;
}

interface ListedAs<T> {
  /** Says that there are none, and what to do. */
  readonly none: string;
  readonly heads: readonly string[];
  readonly row: (one: T) => readonly unknown[];
}

/** Results go to stdout and everything else to stderr, so that results can be piped. */
export class Output {
  readonly json: boolean;
  readonly #results: NodeJS.WritableStream;
  readonly #messages: NodeJS.WritableStream;

  constructor(
    json: boolean,
    results: NodeJS.WritableStream = process.stdout,
    messages: NodeJS.WritableStream = process.stderr,
  ) {
    this.json = json;
    this.#results = results;
    this.#messages = messages;
  }

  /** Prints the result of the command: the value with --json, otherwise the text that `describe` returns. */
  result(value: unknown, describe: () => string): void {
    const text = this.json ? JSON.stringify(value) : fitText(describe(), columnsOf(this.#results));
    if (text !== '') this.#results.write(`${text}\n`);
  }

  /** Prints a list under the name that its elements have in the API, or as a table. */
  list<T>(name: string, found: readonly T[], { none, heads, row }: ListedAs<T>): void {
    this.result({ [name]: found }, () => (found.length === 0 ? none : table(heads, found.map(row))));
  }

  /** Prints a message for the user. */
  info(text: string): void {
    this.#messages.write(`${fitText(commandsAsTyped(text), columnsOf(this.#messages))}\n`);
  }
}

const localHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Passes the signal to every call. */
class InterruptibleClient extends Tastegraph {
  readonly #signal: AbortSignal;

  constructor(options: TastegraphOptions, signal: AbortSignal) {
    super(options);
    this.#signal = signal;
  }

  override request<N extends OperationName>(
    name: N,
    request: Request<N>,
    options: CallOptions = {},
  ): Promise<Answer<N>> {
    return super.request(name, request, { signal: this.#signal, ...options });
  }
}

/** `names` says where the URL, keys and secret come from, for error messages. */
export function openClient(
  { url, ...access }: Credentials | WriteCredentials,
  names: Credentials | (Credentials & WriteCredentials),
  signal: AbortSignal,
): Tastegraph {
  const options = { baseUrl: url, ...access, gzipAboveBytes: gzipAboveBytes(url) };
  try {
    return new InterruptibleClient(options, signal);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const known: Record<string, string> = { ...names, baseUrl: names.url };
    throw usageError(
      error.message.replace(/^\w+/, (option) => known[option] ?? option),
      'A URL looks like http://localhost:8080. Copy the key and the secret as they were shown. `tastegraph login` stores all three.',
    );
  }
}

/** On the same machine, compression saves nothing, and takes two thirds of an import's CPU time on the client. */
function gzipAboveBytes(url: string): number {
  return URL.canParse(url) && localHosts.has(new URL(url).hostname) ? Infinity : 4096;
}
