import {
  type Answer,
  type CallOptions,
  type OperationName,
  type Request,
  Tastegraph,
  type TastegraphOptions,
} from '@tastegraph/sdk';
import { usageProblem } from './problem.ts';
import type { Credentials } from './settings.ts';

/** What a command works with. Results go to stdout, all else to stderr, so that results can be piped. */
export interface Session {
  readonly client: Tastegraph;
  readonly output: Output;
  /** Comes when Ctrl-C or SIGTERM does; its reason is an `Interrupted`. */
  readonly signal: AbortSignal;
}

export class Output {
  readonly json: boolean;
  readonly #results: NodeJS.WritableStream;
  readonly #words: NodeJS.WritableStream;

  constructor(
    json: boolean,
    results: NodeJS.WritableStream = process.stdout,
    words: NodeJS.WritableStream = process.stderr,
  ) {
    this.json = json;
    this.#results = results;
    this.#words = words;
  }

  /** The command's result: the value itself with --json, else what `describe` makes of it. */
  result(value: unknown, describe: () => string): void {
    const text = this.json ? JSON.stringify(value) : describe();
    if (text !== '') this.#results.write(`${text}\n`);
  }

  /** For the person: what is being done, what to do next. */
  say(text: string): void {
    this.#words.write(`${text}\n`);
  }
}

const local = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Each of its calls ends when the signal comes, also those that are not given it. */
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

/** `names` is what the person knows address, key and secret by. */
export function openClient(
  { url, apiKey, apiSecret }: Credentials,
  names: Credentials,
  signal: AbortSignal,
): Tastegraph {
  const options = { baseUrl: url, apiKey, apiSecret, gzipAboveBytes: gzipAboveBytes(url) };
  try {
    return new InterruptibleClient(options, signal);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const known: Record<string, string> = { ...names, baseUrl: names.url };
    throw usageProblem(
      error.message.replace(/^\w+/, (option) => known[option] ?? option),
      'An address is as http://localhost:8080; key and secret are as they were shown. `tastegraph login` stores them.',
    );
  }
}

/** On one machine compressing only takes processor time from the service: two thirds of what an import costs here. */
function gzipAboveBytes(url: string): number {
  return URL.canParse(url) && local.has(new URL(url).hostname) ? Infinity : 4096;
}
