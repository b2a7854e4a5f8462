import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll } from 'vitest';

const command = new URL('../tastegraph', import.meta.url).pathname;

interface Sent {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

type SentRecord = Readonly<Record<string, unknown>>;

/** What the stand-in answers instead of its usual, or that it never does. */
type Answer = { readonly status: number; readonly body: unknown } | 'never' | undefined;
export type Answering = (sent: Sent) => Answer | Promise<Answer>;

export const gone: Answer = {
  status: 404,
  body: { code: 'NOT_FOUND', detail: 'There is no such dataset.', status: 404 },
};

/** What behaves as the service does, as far as imports and lists go; records whose id begins with `bad` are refused. */
export class StandIn implements AsyncDisposable {
  readonly created: string[] = [];
  readonly written = new Map<string, SentRecord>();
  answering: Answering;
  url = '';
  readonly #server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in');
      const body = text.length > 0 ? readBody(text.toString()) : Object.fromEntries(searchParams);
      void this.#answer({ path: pathname, body }).then((answer) => {
        if (answer === 'never') return;
        response.writeHead(answer.status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(answer.body));
      });
    });
  });

  private constructor(answering: Answering) {
    this.answering = answering;
  }

  static async open(answering: Answering = () => undefined): Promise<StandIn> {
    const standIn = new StandIn(answering);
    standIn.#server.listen(0, '127.0.0.1');
    await once(standIn.#server, 'listening');
    const { port } = standIn.#server.address() as { port: number };
    standIn.url = `http://127.0.0.1:${port}`;
    return standIn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(sent: Sent): Promise<Exclude<Answer, undefined>> {
    return (await this.answering(sent)) ?? { status: 200, body: this.#usual(sent) };
  }

  #usual({ path, body }: Sent): unknown {
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
    for (const [index, record] of (body[kind] as SentRecord[]).entries()) {
      const id = String(record[`${kind.slice(0, -1)}_id`]);
      if (id.startsWith('bad')) failures.push({ index, id, code: 'ID_INVALID', message: 'is bad' });
      else {
        this.written.set(id, record);
        succeed_ids.push(id);
      }
    }
    return { succeed_ids, failures };
  }
}

function readBody(text: string): Sent['body'] {
  return text.startsWith('{') ? (JSON.parse(text) as Sent['body']) : {};
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Is given the process as soon as it runs; its stdin is then left open. */
  readonly during?: (child: ChildProcessWithoutNullStreams) => void | Promise<void>;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A folder of its own, and the command as it is given there to a service. */
export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'tastegraph-desk-'));
  readonly #url: string;

  constructor({ url }: Pick<StandIn, 'url'>) {
    this.#url = url;
    folders.push(this.folder);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  run(args: readonly string[], running: Running = {}): Promise<Ended> {
    return this.#spawn(command, args, running);
  }

  /** `line` may have `tastegraph` in it. */
  shell(line: string, running: Running = {}): Promise<Ended> {
    return this.#spawn(
      'bash',
      ['-o', 'pipefail', '-c', `tastegraph() { ${command} "$@"; }; ${line}`],
      running,
    );
  }

  async #spawn(program: string, args: readonly string[], { input, env, during }: Running): Promise<Ended> {
    const { PATH = '', HOME = '' } = process.env;
    const account = { TASTEGRAPH_URL: this.#url, TASTEGRAPH_API_KEY: 'key', TASTEGRAPH_API_SECRET: 'secret' };
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { PATH, HOME, XDG_CONFIG_HOME: this.folder, ...account, ...env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined);
    const closed = once(child, 'close') as Promise<[number | null]>;
    if (!during || input !== undefined) child.stdin.end(input ?? '');
    await during?.(child);
    const [code] = await closed;
    return { code, stdout, stderr };
  }
}
