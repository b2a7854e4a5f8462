import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const startLimitMs = 60_000;
const stopLimitMs = 30_000;
/** Says to Node that it is older than it is. NODE_OPTIONS gives no meaning to single quotes. */
const asOldNode =
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.0'}})";

/** What `dev` printed: the variables of its `export` lines, and the addresses. */
interface Printed {
  readonly variables: NodeJS.ProcessEnv;
  readonly consoleLink: string;
  readonly docs: string;
}

/** A folder with the packages and nothing else, used as by somebody without a clone. */
export class Installation {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string) {
    this.#folder = folder;
    // Nothing of the npm that runs this check, and no server but that of `dev`.
    const own = /^(npm_|TASTEGRAPH_|DATABASE_URL$|REDIS_URL$|OBJECTS_URL$)/;
    this.#env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
  }

  install(tarballs: readonly string[]): void {
    this.#run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs]);
  }

  checkVersions(version: string): void {
    for (const command of ['tastegraph-server', 'tastegraph']) {
      const printed = this.#run('npx', [command, '--version']).trim();
      if (printed !== version) throw new Error(`${command} --version printed ${printed}, not ${version}.`);
    }
  }

  /** One sentence, instead of what an old Node says of syntax that it does not know. */
  checkOldNode(): void {
    const env = { ...this.#env, NODE_OPTIONS: `--import=${asOldNode}` };
    const { status, stderr } = spawnSync(this.#bin('tastegraph-server'), ['dev'], { env, encoding: 'utf8' });
    if (status !== 1 || !/^Tastegraph needs Node .*\n$/.test(stderr))
      throw new Error(`An old Node printed:\n${stderr}`);
  }

  /** Starts `npx tastegraph-server dev`, and reads what it prints until it is ready. */
  async startDev(): Promise<DevServer> {
    const child = spawn('npx', ['tastegraph-server', 'dev', '--port', '0'], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    const ready = Promise.withResolvers<undefined>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      if (line.includes('Ctrl-C')) ready.resolve(undefined);
    });
    child.once('exit', () => ready.reject(new Error(`dev ended before it was ready:\n${lines.join('\n')}`)));
    const timer = setTimeout(() => {
      child.kill();
      ready.reject(new Error(`dev was not ready within ${startLimitMs / 1000} s:\n${lines.join('\n')}`));
    }, startLimitMs);
    await ready.promise.finally(() => clearTimeout(timer));
    const postmaster = join(this.#folder, '.tastegraph/postgres/postmaster.pid');
    if (!existsSync(postmaster)) throw new Error('dev keeps no data in .tastegraph of its folder.');
    return new DevServer(child.pid ?? 0, readPrinted(lines), postmaster);
  }

  /** What the README does with the command line, and one more job of each kind that runs in a file of its own. */
  goFromFilesToRecommendations({ variables }: DevServer): void {
    this.#run('npx', ['tastegraph-server', 'demo', '--write', 'shop']);
    const commands = [
      'import users shop/users.ndjson --create shop-readers --yes',
      'import items shop/items.ndjson --create shop-books --yes',
      'import events shop/events.ndjson --create shop-visits --yes',
      'project create shop --users shop-readers --items shop-books --events shop-visits --target buy',
      'train --project shop --watch',
      'deploy --project shop --qps 10',
      'cluster --project shop --out clusters',
      'query distribution genres=Travel --project shop --out travel',
      'recommend-all --project shop --out all',
    ];
    for (const command of commands) this.#run(this.#bin('tastegraph'), command.split(' '), variables);
    const question = ['recommend', 'clara', '--project', 'shop', '--limit', '3', '--json'];
    const answer = JSON.parse(this.#run(this.#bin('tastegraph'), question, variables)) as {
      results: unknown[];
    };
    if (answer.results.length !== 3)
      throw new Error(`Clara got ${answer.results.length} books instead of 3.`);
  }

  #bin(name: string): string {
    return join(this.#folder, 'node_modules/.bin', name);
  }

  #run(command: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): string {
    const env = { ...this.#env, XDG_CONFIG_HOME: this.#folder, ...variables };
    const ended = spawnSync(command, args, { cwd: this.#folder, env, encoding: 'utf8' });
    if (ended.status === 0) return ended.stdout;
    throw new Error(
      `${command} ${args.join(' ')} exited with ${String(ended.status)}:\n${ended.stdout}${ended.stderr}`,
    );
  }
}

/** A running `npx tastegraph-server dev`. */
class DevServer {
  readonly variables: NodeJS.ProcessEnv;
  readonly #pid: number;
  readonly #pages: readonly string[];
  /** Exists while PostgreSQL runs. */
  readonly #postmaster: string;

  constructor(pid: number, { variables, consoleLink, docs }: Printed, postmaster: string) {
    this.variables = variables;
    this.#pid = pid;
    this.#pages = [consoleLink, docs];
    this.#postmaster = postmaster;
  }

  async checkPages(): Promise<void> {
    for (const page of this.#pages) {
      const response = await fetch(page);
      const text = await response.text();
      if (response.status !== 200 || !text.includes('<script'))
        throw new Error(`${page} answered ${response.status}.`);
    }
  }

  /** Sends SIGTERM to npx only, as a terminal or an init system does. */
  async stop(): Promise<void> {
    process.kill(this.#pid, 'SIGTERM');
    const end = performance.now() + stopLimitMs;
    while (existsSync(this.#postmaster) || (await this.#answers())) {
      if (performance.now() > end)
        throw new Error(`Something still runs ${stopLimitMs / 1000} s after SIGTERM.`);
      await sleep(50);
    }
  }

  #answers(): Promise<boolean> {
    return fetch(`${this.variables['TASTEGRAPH_URL'] ?? ''}/healthz`).then(
      () => true,
      () => false,
    );
  }
}

function readPrinted(lines: readonly string[]): Printed {
  const text = lines.join('\n');
  const variables = Object.fromEntries(
    [...text.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const [consoleLink, docs] = [/^ *Console +(\S+)$/m, /^ *API docs +(\S+)$/m].map(
    (pattern) => pattern.exec(text)?.[1],
  );
  if (!variables['TASTEGRAPH_API_SECRET'] || consoleLink === undefined || docs === undefined)
    throw new Error(`dev printed no addresses or no export lines:\n${text}`);
  return { variables, consoleLink, docs };
}
