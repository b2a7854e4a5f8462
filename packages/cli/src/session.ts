import { Tastegraph } from '@tastegraph/sdk';
import { environment, requireCredentials } from './settings.ts';

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

export function openClient(): Tastegraph {
  const { url, apiKey, apiSecret } = requireCredentials(environment());
  return new Tastegraph({ baseUrl: url, apiKey, apiSecret, gzipAboveBytes: gzipAboveBytes(url) });
}

/** On one machine compressing only takes processor time from the service: two thirds of what an import costs here. */
function gzipAboveBytes(url: string): number {
  return URL.canParse(url) && local.has(new URL(url).hostname) ? Infinity : 4096;
}
