import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { notFound } from './fake-service.ts';
import { open } from './open-cli.ts';

const users = (count: number) => `user_id\n${Array.from({ length: count }, (_, n) => `u${n}\n`).join('')}`;

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a command that waits for the service, with exit code %i', async (signal, code) => {
  const { service, cli } = await open();
  const { promise: requested, resolve } = Promise.withResolvers<true>();
  service.handler = ({ path }) => {
    if (!path.startsWith('/list')) return undefined;
    resolve(true);
    return 'never';
  };
  const result = await cli.run(['project', 'list'], {
    async whileRunning(child) {
      await requested;
      child.kill(signal);
    },
  });
  expect(result).toMatchObject({ code, stdout: '' });
});

/** Linux lists what the event loop of a process waits for. */
function waitsForStdin(pid: number): boolean {
  const folder = `/proc/${pid}/fdinfo`;
  try {
    return readdirSync(folder).some((fd) => /^tfd: +0 /m.test(readFileSync(`${folder}/${fd}`, 'utf8')));
  } catch {
    // A file that was closed meanwhile.
    return false;
  }
}

test.each([
  ['import', ['import', 'users', '-', '--create', 'x']],
  ['login', ['login', '--url', 'http://127.0.0.1:9', '--key', 'k']],
])('a signal ends %s while it waits for stdin', async (_, args) => {
  const { cli } = await open();
  const result = await cli.run(args, {
    async whileRunning(child) {
      if (process.platform === 'linux')
        await vi.waitUntil(() => waitsForStdin(child.pid ?? 0), { timeout: 20_000 });
      // There is no sign elsewhere; it starts in a fraction of this time.
      else await pause(1500);
      child.kill('SIGTERM');
    },
  });
  expect(result).toMatchObject({ code: 143 });
});

test('a failed import ends even if its source continues', async () => {
  const { cli } = await open(({ path }) => (path.startsWith('/upsert') ? notFound : undefined));
  const result = await cli.run(['import', 'users', '-', '--create', 'x'], {
    whileRunning(child) {
      child.stdin.write(users(3000));
    },
  });
  expect(result).toMatchObject({ code: 4 });
  expect(result.stderr).toContain('next: ');
});

test('failing to write the result is an error; a reader that closes the pipe is not', async () => {
  const { cli } = await open();
  const full = await cli.shell('tastegraph project list > /dev/full');
  expect(full).toMatchObject({ code: 1 });
  expect(full.stderr).toMatch(/ENOSPC.*\nnext: /);
  expect(await cli.shell('tastegraph project list --json | true')).toMatchObject({ code: 0, stderr: '' });
});

test('an import continues if its messages cannot be written', async () => {
  const { service, cli } = await open();
  writeFileSync(cli.path('users.csv'), users(10));
  const line = 'tastegraph import users users.csv --create x 2>&1 > result.txt | true';
  expect(await cli.shell(line)).toMatchObject({ code: 0 });
  expect(service.written.size).toBe(10);
  expect(readFileSync(cli.path('result.txt'), 'utf8')).toContain('10 written');
});

test('login replaces a broken config file', async () => {
  const { service, cli } = await open();
  mkdirSync(cli.path('tastegraph'));
  writeFileSync(cli.path('tastegraph/config.json'), '{broken', { mode: 0o600 });
  const env = { TASTEGRAPH_URL: '', TASTEGRAPH_API_KEY: '', TASTEGRAPH_API_SECRET: '' };
  const broken = await cli.run(['project', 'list'], { env });
  expect(broken).toMatchObject({ code: 3 });
  expect(broken.stderr).toContain('tastegraph login');
  const login = await cli.run(['login', '--url', service.url, '--key', 'k'], { env, input: 'secret\n' });
  expect(login, login.stderr).toMatchObject({ code: 0 });
  expect(await cli.run(['project', 'list'], { env })).toMatchObject({ code: 0 });
});

test('the error about a URL without http:// names its source', async () => {
  const { cli } = await open();
  const result = await cli.run(['project', 'list'], { env: { TASTEGRAPH_URL: 'localhost:8080' } });
  expect(result).toMatchObject({ code: 2 });
  expect(result.stderr).toMatch(/^error: TASTEGRAPH_URL .*\nnext: .*http:\/\/localhost:8080/);
  const login = await cli.run(['login', '--url', 'localhost:8080', '--key', 'k'], { input: 's' });
  expect(login).toMatchObject({ code: 2 });
  expect(login.stderr).toMatch(/^error: --url .*\nnext: .*http:\/\/localhost:8080/);
});

test('--limit lists more jobs than fit on a page', async () => {
  const job = (n: number) => ({ job_id: `job_${n}`, job_type: 'TRAINING', created_ts: n });
  const { cli } = await open(({ path, body }) => {
    if (path === '/get-project') return { status: 200, body: { project_id: 'prj_1' } };
    if (path !== '/list-jobs') return undefined;
    const from = Number(body['page_token'] ?? 0);
    const jobs = Array.from({ length: Number(body['page_size']) }, (_, n) => job(from + n));
    return { status: 200, body: { jobs, next_page_token: String(from + jobs.length) } };
  });
  const { stdout } = await cli.run(['jobs', '--project', 'prj_1', '--limit', '2500', '--json']);
  const { jobs } = JSON.parse(stdout) as { jobs: { job_id: string }[] };
  expect(jobs).toHaveLength(2500);
  expect(jobs.at(-1)?.job_id).toBe('job_2499');
});

test('an unwritable --out is refused before a job is submitted', async () => {
  const requests: string[] = [];
  const { cli } = await open(({ path }) => void requests.push(path));
  for (const out of ['nowhere/groups.ndjson', '.']) {
    const result = await cli.run(['cluster', '--out', out]);
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toContain('--out');
  }
  expect(requests).toEqual([]);
});

test('--parameters and --algorithm are mutually exclusive', async () => {
  const { cli } = await open();
  const result = await cli.run(['train', '--algorithm', 'alg_1', '--parameters', '{"neighbors": 200}']);
  expect(result).toMatchObject({ code: 2 });
  expect(result.stderr).toContain('--algorithm');
});

test('a command without its subcommand lists the subcommands', async () => {
  const { cli } = await open();
  const result = await cli.run(['query']);
  expect(result).toMatchObject({ code: 2 });
  for (const word of ['`tastegraph query`', '`list`', '`distribution`', 'tastegraph query --help'])
    expect(result.stderr).toContain(word);
});
