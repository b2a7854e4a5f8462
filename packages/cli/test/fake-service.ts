import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, vi } from 'vitest';
import { runCommand } from '../src/run-command.ts';

const command = new URL('../tastegraph', import.meta.url).pathname;
/** Shared by all runs: with compiled modules the command starts in a third of the time. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'tastegraph-compile-cache');

export interface FakeRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type RequestRecord = Readonly<Record<string, unknown>>;

/** Overrides the default response; `never` leaves the request without a response. */
type FakeResponse = { readonly status: number; readonly body: unknown } | 'never' | undefined;
export type Handler = (request: FakeRequest) => FakeResponse | Promise<FakeResponse>;

export const notFound: FakeResponse = {
  status: 404,
  body: { code: 'NOT_FOUND', detail: 'The dataset was not found.', status: 404 },
};

/** The list of datasets, with one that is called x. */
export function listed(path: string, kind: string, id: string | undefined): FakeResponse {
  if (path !== `/list-${kind}-datasets`) return undefined;
  const dataset = { [`${kind}_dataset_id`]: id, name: 'x', num_shards: 1, record_count: 0 };
  return { status: 200, body: { [`${kind}_datasets`]: [dataset], next_page_token: null } };
}

/** A fake service for imports and lists. It rejects records whose ID starts with `bad`. */
export class FakeService implements AsyncDisposable {
  readonly created: string[] = [];
  readonly written = new Map<string, RequestRecord>();
  handler: Handler;
  url = '';
  readonly #server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://fake');
      const body = text.length > 0 ? readBody(text.toString()) : Object.fromEntries(searchParams);
      void this.#respond({ path: pathname, body }).then((answer) => {
        if (answer === 'never') return;
        response.writeHead(answer.status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(answer.body));
      });
    });
  });

  private constructor(handler: Handler) {
    this.handler = handler;
  }

  static async open(handler: Handler = () => undefined): Promise<FakeService> {
    const service = new FakeService(handler);
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    const { port } = service.#server.address() as { port: number };
    service.url = `http://127.0.0.1:${port}`;
    return service;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #respond(request: FakeRequest): Promise<Exclude<FakeResponse, undefined>> {
    return (await this.handler(request)) ?? { status: 200, body: this.#defaultResponse(request) };
  }

  #defaultResponse({ path, body }: FakeRequest): unknown {
    const [, verb, kind = ''] = /^\/(create|upsert-dataset|list)-(\w+)/.exec(path) ?? [];
    if (verb === 'create') {
      this.created.push(`${kind}_${this.created.length + 1}`);
      return { [`${kind}_dataset_id`]: this.created.at(-1) };
    }
    if (verb === 'list')
      return { [path.slice('/list-'.length).replaceAll('-', '_')]: [], next_page_token: null };
    if (verb !== 'upsert-dataset')
      return { access_token: 'T', token_type: 'Bearer', expires_in: 3600, scope: '' };
    const succeed_ids: string[] = [];
    const failures: object[] = [];
    for (const [index, record] of (body[kind] as RequestRecord[]).entries()) {
      const id = String(record[`${kind.slice(0, -1)}_id`]);
      if (id.startsWith('bad')) failures.push({ index, id, code: 'ID_INVALID', message: 'is bad' });
      else {
        this.written.set(id, record);
        succeed_ids.push(id);
      }
    }
    return { succeed_ids, failed_count: failures.length, failures };
  }
}

function readBody(text: string): FakeRequest['body'] {
  return text.startsWith('{') ? (JSON.parse(text) as FakeRequest['body']) : {};
}

export interface RunResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the running process, whose stdin stays open. */
  readonly whileRunning?: (child: ChildProcessWithoutNullStreams) => void | Promise<void>;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Runs the command in a temporary folder, against a service. */
export class CliRunner {
  readonly folder = mkdtempSync(join(tmpdir(), 'tastegraph-cli-'));
  readonly #url: string;

  constructor({ url }: Pick<FakeService, 'url'>) {
    this.#url = url;
    folders.push(this.folder);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** In a process of its own only if it reads stdin or is interrupted, because starting one takes longer than most commands. */
  run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const needsProcess = options.whileRunning || options.input !== undefined || args.includes('-');
    return needsProcess ? this.#spawn(command, args, options) : this.#runHere(args, options);
  }

  /** Runs a bash line, which can call `tastegraph`. */
  shell(line: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#spawn(
      'bash',
      ['-o', 'pipefail', '-c', `tastegraph() { ${command} "$@"; }; ${line}`],
      options,
    );
  }

  /** With the environment, folder and output that a process would have. Not for several commands at once. */
  async #runHere(args: readonly string[], { env }: RunOptions): Promise<RunResult> {
    const before = { env: process.env, folder: process.cwd() };
    const stdout = captureWrites(process.stdout);
    const stderr = captureWrites(process.stderr);
    process.env = this.#environment(env);
    process.chdir(this.folder);
    try {
      const code = await runCommand(args, new AbortController().signal);
      return { code, stdout: stdout.text(), stderr: stderr.text() };
    } finally {
      process.env = before.env;
      process.chdir(before.folder);
      stdout.restore();
      stderr.restore();
    }
  }

  #environment(env: RunOptions['env']): Record<string, string> {
    const { PATH = '', HOME = '' } = process.env;
    const account = { TASTEGRAPH_URL: this.#url, TASTEGRAPH_API_KEY: 'key', TASTEGRAPH_API_SECRET: 'secret' };
    return { PATH, HOME, NODE_COMPILE_CACHE, XDG_CONFIG_HOME: this.folder, ...account, ...env };
  }

  async #spawn(
    program: string,
    args: readonly string[],
    { input, env, whileRunning }: RunOptions,
  ): Promise<RunResult> {
    const child = spawn(program, args, { cwd: this.folder, env: this.#environment(env) });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined);
    const closed = once(child, 'close') as Promise<[number | null]>;
    if (!whileRunning || input !== undefined) child.stdin.end(input ?? '');
    await whileRunning?.(child);
    const [code] = await closed;
    return { code, stdout, stderr };
  }
}

function captureWrites(stream: NodeJS.WriteStream): { text: () => string; restore: () => void } {
  let text = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((piece, ...rest) => {
    text += typeof piece === 'string' ? piece : Buffer.from(piece).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  });
  return { text: () => text, restore: () => spy.mockRestore() };
}
