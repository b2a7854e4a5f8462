import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { errorCodes } from '@tastegraph/contract';
import { findFreePort } from '@tastegraph/dev';
import { expect, test } from 'vitest';
import { startApi } from '../../../src/processes/api.ts';
import { startServing } from '../../../src/processes/serving.ts';
import { startWorker } from '../../../src/processes/worker.ts';
import { startTestApi } from '../stack/api.ts';
import { deploy } from '../stack/deployment-cell.ts';
import { fixedParameters, makeProject, trainModel } from '../stack/training.ts';

const nginxFolder = resolve(import.meta.dirname, '../../../../../deploy/nginx');

/** A real nginx with deploy/nginx, in front of roles at other ports than with systemd. */
async function startNginx(folder: string, port: number, roles: { api: string; serving: string }) {
  const place = async (name: string, changes: readonly (readonly [string, string])[]) => {
    let content = await readFile(join(nginxFolder, name), 'utf8');
    for (const [from, to] of changes) {
      expect(content).toContain(from);
      content = content.replace(from, to);
    }
    await writeFile(join(folder, name), content);
  };
  await place('tastegraph.conf', [['listen 8000', `listen 127.0.0.1:${port}`]]);
  await place('upstreams.conf', [
    ['127.0.0.1:8080', new URL(roles.api).host],
    ['127.0.0.1:8090', new URL(roles.serving).host],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  // As root it would change the owner of its files to a user who cannot access this folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const main = `${user} daemon off; pid ${folder}/pid; error_log stderr; events {}
    http { access_log off; ${temporary} include ${folder}/upstreams.conf; include ${folder}/tastegraph.conf; }`;
  await writeFile(join(folder, 'main.conf'), main);
  const child = spawn('/usr/sbin/nginx', ['-e', 'stderr', '-c', join(folder, 'main.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const isUp = () =>
    post(port, '/', 2).then(
      () => true,
      () => false,
    );
  await expect.poll(isUp, { timeout: 10_000 }).toBe(true);
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGQUIT');
      await once(child, 'exit');
    },
  };
}

test('behind deploy/nginx all operations have one address, and the largest batch is accepted', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'tastegraph-nginx-')));
  const port = await findFreePort();
  const front = `http://127.0.0.1:${port}`;
  const settings = { BASE_URL: front, TRUST_PROXY: '127.0.0.1', TRAINING_THREADS: '1' };
  let roles = { api: '', serving: '' };
  const api = stack.use(
    await startTestApi(settings, async (runtime) => {
      await startWorker(runtime);
      roles = { api: await startApi(runtime), serving: await startServing(runtime) };
      stack.use(await startNginx(folder.path, port, roles));
      return front;
    }),
  );
  const caller = await api.newCaller();
  const project = await makeProject(caller, { parameters: fixedParameters });
  const { project_id, user_dataset_id } = project;
  const generator_model_id = await trainModel(caller, project);
  expect(await deploy(caller, project, { generator_model_id, qps: 100 })).toMatchObject({
    job_status: 'SUCCEED',
    job_result: { serving_uri: `${front}/projects/${project_id}` },
  });
  const { results } = await caller.call('recommendItemsToUser', { user_id: 'u0', project_id, limit: 3 });
  expect(results).toHaveLength(3);
  const past = await fetch(`${roles.api}/recommend-items-to-user`, { method: 'POST' });
  expect(past.status).toBe(404);
  expect(await past.json()).toMatchObject({ detail: expect.stringContaining('serving_uri') as string });

  // X-Forwarded-For of callers is overwritten, so 20 failures count for one address whatever they claim.
  const guess = async (claimed: string, client_secret: string) => {
    const response = await fetch(`${front}/oauth/token`, {
      method: 'POST',
      headers: { 'x-forwarded-for': claimed },
      body: new URLSearchParams({ client_id: caller.credentials.apiKey, client_secret, scope: '/get-job' }),
    });
    return response.status;
  };
  for (let n = 0; n < 20; n++) expect(await guess(`203.0.113.${n}`, 'guessed')).toBe(401);
  expect(await guess('203.0.113.99', 'guessed')).toBe(429);

  const users = Array.from({ length: 1000 }, (_, n) => ({
    user_id: `large${n}`,
    attributes: { text: 'x'.repeat(19_000) },
  }));
  const { succeed_ids } = await caller.call('upsertDatasetUsers', { user_dataset_id, users });
  expect(succeed_ids).toHaveLength(1000);
});

/** The answer to a POST; of a long body, only the head is sent. */
async function post(port: number, path: string, bytes: number) {
  const headers = { 'content-length': bytes };
  const request = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers });
  request.flushHeaders();
  if (bytes < 10) request.end('x'.repeat(bytes));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = JSON.parse(await text(response)) as Record<string, unknown>;
  request.destroy();
  return { status: response.statusCode, type: response.headers['content-type'], body };
}

test('deploy/nginx answers in the format of the API when no process does, and when a body is too large', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'tastegraph-nginx-')));
  const port = await findFreePort();
  const nobody = `http://127.0.0.1:${await findFreePort()}`;
  stack.use(await startNginx(folder.path, port, { api: nobody, serving: nobody }));
  const answers = [
    ['UNAVAILABLE', await post(port, '/list-projects', 2)],
    ['UNAVAILABLE', await post(port, '/recommend-items-to-user', 2)],
    ['BODY_TOO_LARGE', await post(port, '/upsert-dataset-users', 33 * 2 ** 20)],
  ] as const;
  for (const [code, answer] of answers) {
    const { status, title } = errorCodes[code];
    expect(answer).toMatchObject({
      status,
      type: 'application/problem+json',
      body: { code, status, title, type: `/docs/errors#${code.toLowerCase()}` },
    });
  }
});
