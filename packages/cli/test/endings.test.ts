import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Answering, Desk, gone, StandIn } from './stand-in.ts';

async function open(answering?: Answering): Promise<{ service: StandIn; desk: Desk }> {
  const service = await StandIn.open(answering);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { service, desk: new Desk(service) };
}

const users = (count: number) => `user_id\n${Array.from({ length: count }, (_, n) => `u${n}\n`).join('')}`;

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a command whose service does not answer, with %i', async (signal, code) => {
  const { service, desk } = await open();
  const { promise: asked, resolve } = Promise.withResolvers<true>();
  service.answering = ({ path }) => {
    if (!path.startsWith('/list')) return undefined;
    resolve(true);
    return 'never';
  };
  const ended = await desk.run(['project', 'list'], {
    async during(child) {
      await asked;
      child.kill(signal);
    },
  });
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain('Interrupted.');
});

test.each([
  ['import', ['import', 'users', '-', '--create', 'x']],
  ['login', ['login', '--url', 'http://127.0.0.1:9', '--key', 'k']],
])('a signal ends %s while it waits for stdin', async (_, args) => {
  const { desk } = await open();
  const ended = await desk.run(args, {
    async during(child) {
      // Nothing tells that it waits; it takes a fraction of this to begin.
      await pause(1500);
      child.kill('SIGTERM');
    },
  });
  expect(ended).toMatchObject({ code: 143 });
});

test('an import that fails ends, even while its source goes on', async () => {
  const { desk } = await open(({ path }) => (path.startsWith('/upsert') ? gone : undefined));
  const ended = await desk.run(['import', 'users', '-', '--create', 'x'], {
    during(child) {
      child.stdin.write(users(3000));
    },
  });
  expect(ended).toMatchObject({ code: 4 });
  expect(ended.stderr).toContain('next: ');
});

test('a result that cannot be written is a failure; a reader that has enough is none', async () => {
  const { desk } = await open();
  const full = await desk.shell('tastegraph project list > /dev/full');
  expect(full).toMatchObject({ code: 1 });
  expect(full.stderr).toMatch(/could not be written: ENOSPC.*\nnext: /);
  expect(await desk.shell('tastegraph project list --json | true')).toMatchObject({ code: 0, stderr: '' });
});

test('an import goes on when nobody hears its words', async () => {
  const { service, desk } = await open();
  writeFileSync(desk.path('users.csv'), users(10));
  const line = 'tastegraph import users users.csv --create x 2>&1 > result.txt | true';
  expect(await desk.shell(line)).toMatchObject({ code: 0 });
  expect(service.written.size).toBe(10);
  expect(readFileSync(desk.path('result.txt'), 'utf8')).toContain('10 written');
});

test('login replaces a configuration that cannot be read', async () => {
  const { service, desk } = await open();
  mkdirSync(desk.path('tastegraph'));
  writeFileSync(desk.path('tastegraph/config.json'), '{broken', { mode: 0o600 });
  const env = { TASTEGRAPH_URL: '', TASTEGRAPH_API_KEY: '', TASTEGRAPH_API_SECRET: '' };
  const broken = await desk.run(['project', 'list'], { env });
  expect(broken).toMatchObject({ code: 3 });
  expect(broken.stderr).toContain('tastegraph login');
  const login = await desk.run(['login', '--url', service.url, '--key', 'k'], { env, input: 'secret\n' });
  expect(login, login.stderr).toMatchObject({ code: 0 });
  expect(await desk.run(['project', 'list'], { env })).toMatchObject({ code: 0 });
});

test('an address without http:// is named by where it comes from', async () => {
  const { desk } = await open();
  const ended = await desk.run(['project', 'list'], { env: { TASTEGRAPH_URL: 'localhost:8080' } });
  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toMatch(/^error: TASTEGRAPH_URL must be .*\nnext: .*http:\/\/localhost:8080/);
  const login = await desk.run(['login', '--url', 'localhost:8080', '--key', 'k'], { input: 's' });
  expect(login).toMatchObject({ code: 2 });
  expect(login.stderr).toMatch(/^error: --url must be .*\nnext: .*http:\/\/localhost:8080/);
});

test('more jobs than a page has are listed as far as asked', async () => {
  const job = (n: number) => ({ job_id: `job_${n}`, job_type: 'TRAINING', created_ts: n });
  const { desk } = await open(({ path, body }) => {
    if (path === '/get-project') return { status: 200, body: { project_id: 'prj_1' } };
    if (path !== '/list-jobs') return undefined;
    const from = Number(body['page_token'] ?? 0);
    const jobs = Array.from({ length: Number(body['page_size']) }, (_, n) => job(from + n));
    return { status: 200, body: { jobs, next_page_token: String(from + jobs.length) } };
  });
  const { stdout } = await desk.run(['jobs', '--project', 'prj_1', '--limit', '2500', '--json']);
  const { jobs } = JSON.parse(stdout) as { jobs: { job_id: string }[] };
  expect(jobs).toHaveLength(2500);
  expect(jobs.at(-1)?.job_id).toBe('job_2499');
});

test('a place for the result that is not there is refused before a job is submitted', async () => {
  const asked: string[] = [];
  const { desk } = await open(({ path }) => void asked.push(path));
  for (const out of ['nowhere/groups.ndjson', '.']) {
    const ended = await desk.run(['cluster', '--out', out]);
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain('--out');
  }
  expect(asked).toEqual([]);
});

test('parameters and an algorithm that has its own are not both taken', async () => {
  const { desk } = await open();
  const ended = await desk.run(['train', '--algorithm', 'alg_1', '--parameters', '{"neighbors": 200}']);
  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toContain('--algorithm');
});
