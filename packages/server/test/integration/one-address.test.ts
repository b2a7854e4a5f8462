import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findFreePort } from '@tastegraph/dev';
import { expect, test } from 'vitest';
import { startApi } from '../../src/processes/api.ts';
import { startServing } from '../../src/processes/serving.ts';
import { startWorker } from '../../src/processes/worker.ts';
import { startTestApi } from './api.ts';
import { fixedParameters, makeProject, trainModel, waitForJob } from './training.ts';

const nginxFolder = resolve(import.meta.dirname, '../../../../deploy/nginx');

/** A real nginx with deploy/nginx, in front of roles at other ports than with systemd. */
async function startNginx(folder: string, port: number, roles: { api: string; serving: string }) {
  const place = async (name: string, changes: readonly (readonly [string, string])[]) => {
    let text = await readFile(join(nginxFolder, name), 'utf8');
    for (const [from, to] of changes) {
      expect(text).toContain(from);
      text = text.replace(from, to);
    }
    await writeFile(join(folder, name), text);
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
  const { job_id } = await caller.call('submitDeploymentJob', {
    project_id,
    name: 'one address',
    generator_model_id,
    qps: 100,
  });
  expect(await waitForJob(caller, project_id, job_id)).toMatchObject({
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
