import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { findFreePort } from '@tastegraph/dev';

const command = new URL('../../packages/server/tastegraph-server', import.meta.url).pathname;

/** A serving process loads deployed models first, for at most a minute. */
const readyTimeoutMs = 120_000;

interface Key {
  readonly account_id: string;
  readonly api_key: string;
  readonly api_secret: string;
}

export type Role = 'api' | 'serving' | 'all-in-one';

function createAccount(env: NodeJS.ProcessEnv): Key {
  const run = (...args: string[]) => execFileSync(command, ['admin', ...args], { env, encoding: 'utf8' });
  const { account_id } = JSON.parse(run('create-account', '--name', 'bench', '--json')) as {
    account_id: string;
  };
  const key = JSON.parse(run('create-key', '--account', account_id, '--json')) as Omit<Key, 'account_id'>;
  return { ...key, account_id };
}

interface BenchWorker extends AsyncDisposable {
  readonly pid: number;
  /** Kills it without warning. */
  kill(): Promise<void>;
}

/** A server process with an account, and calls to it over keep-alive connections. */
export class Service implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly key: Key;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  #headers: Record<string, string> = {};

  readonly #env: NodeJS.ProcessEnv;

  private constructor(role: Role, port: number, key: Key, env: NodeJS.ProcessEnv) {
    this.#env = env;
    this.#port = port;
    this.key = key;
    // The log is written as in production, and discarded.
    this.#child = spawn(command, [role], {
      // The address that callers use: sessions of the console are bound to it.
      env: { ...env, PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  static async start(role: Role, settings: Readonly<Record<string, string>>): Promise<Service> {
    const env = { ...process.env, ...settings, LOG_LEVEL: 'info' };
    execFileSync(command, ['migrate'], { env });
    return Service.#open(role, createAccount(env), env);
  }

  /** Creates another account and returns its key. */
  addAccount(): Key {
    return createAccount(this.#env);
  }

  /** A link that signs an owner of the account in to the console, once. */
  createConsoleLink(): string {
    const person = ['--email', 'bench@localhost', '--name', 'Bench', '--role', 'OWNER'];
    const args = ['admin', 'create-person', '--account', this.key.account_id, ...person, '--json'];
    const { link } = JSON.parse(
      execFileSync(command, args, { env: { ...this.#env, BASE_URL: this.baseUrl }, encoding: 'utf8' }),
    ) as { link: string };
    return link;
  }

  /** Starts another process of the same cell, for the same account. */
  async startAnother(role: Role, settings: Readonly<Record<string, string>> = {}): Promise<Service> {
    return Service.#open(role, this.key, { ...this.#env, ...settings });
  }

  static async #open(role: Role, key: Key, env: NodeJS.ProcessEnv): Promise<Service> {
    const service = new Service(role, await findFreePort(), key, env);
    await service.#waitUntilReady();
    await service.#authenticate();
    return service;
  }

  /** Starts a worker of the same cell. */
  startWorker(settings: Readonly<Record<string, string>> = {}): BenchWorker {
    const env = { ...this.#env, ...settings };
    const child = spawn(command, ['worker'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const exited = once(child, 'exit');
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await exited;
    };
    return {
      pid: child.pid ?? 0,
      kill: () => end('SIGKILL'),
      [Symbol.asyncDispose]: () => end('SIGTERM'),
    };
  }

  get port(): number {
    return this.#port;
  }

  /** The headers with a token for `scope`: one or more operation paths, separated by spaces. */
  async headersFor(scope: string, key = this.key): Promise<Record<string, string>> {
    const token = await this.#requestToken(scope, key);
    return { authorization: `Bearer ${token}`, apikey: key.api_key };
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async call<T>(method: string, path: string, body: Buffer | string, gzip = false): Promise<T> {
    const headers = {
      ...this.#headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    };
    const { status, text } = await this.#exchange(method, path, headers, body);
    if (status !== 200) throw new Error(`${path} returned ${status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }

  async newEventDataset(): Promise<string> {
    const body = JSON.stringify({ name: 'bench', num_shards: 1000 });
    return (await this.call<{ event_dataset_id: string }>('POST', '/create-event-dataset', body))
      .event_dataset_id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    if (this.#child.exitCode !== null) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }

  async #waitUntilReady(): Promise<void> {
    const limit = Date.now() + readyTimeoutMs;
    while (Date.now() < limit && this.#child.exitCode === null) {
      try {
        if ((await this.#exchange('GET', '/readyz', {}, '')).status === 200) return;
      } catch {
        // Not listening yet.
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`the server was not ready within ${readyTimeoutMs / 1000} s; see its errors above`);
  }

  async #authenticate(): Promise<void> {
    this.#headers = await this.headersFor('/create-event-dataset /upsert-dataset-events');
  }

  async #requestToken(
    scope: string,
    { api_key: client_id, api_secret: client_secret }: Key,
  ): Promise<string> {
    const form = new URLSearchParams({ client_id, client_secret, scope }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': form.length };
    const { text } = await this.#exchange('POST', '/oauth/token', headers, form);
    return (JSON.parse(text) as { access_token: string }).access_token;
  }

  #exchange(
    method: string,
    path: string,
    headers: http.OutgoingHttpHeaders,
    body: Buffer | string,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const request = http.request(
        { host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  }
}
