import { findFreePort } from '@tastegraph/dev';
import { expect, inject, test } from 'vitest';
import { countWaitingJobs } from '../../../src/jobs/rows/jobs.ts';
import { startApi } from '../../../src/processes/api.ts';
import { readSamples } from '../../prometheus.ts';
import { startTestApi } from '../stack/api.ts';
import { startApiProcess } from '../stack/api-process.ts';
import { makeCredentials } from '../stack/caller.ts';
import { cloneDatabase } from '../stack/database.ts';
import { perFile } from '../stack/stack.ts';
import { fixedParameters, makeProject, submit, waitForJob } from '../stack/training.ts';

/** The metrics port of an API process, and its database. */
const own = perFile(async () => {
  const [database, port] = [await cloneDatabase(), await findFreePort()];
  const env = { METRICS_PORT: String(port) };
  const options = { databaseUrl: database.url, redisUrl: inject('redisUrl'), env };
  const process = await startApiProcess(options);
  return {
    databaseUrl: database.url,
    baseUrl: process.baseUrl,
    port,
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      await database.drop();
    },
  };
});

async function scrape(port = own.port): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  return response.text();
}

async function statusOf(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.body?.cancel();
  return response.status;
}

test('a process serves metrics on its metrics port, and only there', async () => {
  const secret = 'a-secret-of-a-caller';
  for (let n = 0; n < 3; n++) {
    const headers = { authorization: `Bearer ${secret}`, apikey: secret };
    expect(await statusOf(`${own.baseUrl}/get-job?job_id=${secret}`, { headers })).toBe(401);
  }
  for (let n = 0; n < 20; n++) expect(await statusOf(`${own.baseUrl}/${secret}-${n}`)).toBe(404);
  // A request is counted after its response was sent.
  await expect
    .poll(async () => readSamples(await scrape()))
    .toMatchObject({
      'tastegraph_http_requests_total{route="/get-job",status="401"}': 3,
      'tastegraph_http_requests_total{route="none",status="404"}': 20,
      'tastegraph_http_request_duration_seconds_count{route="/get-job"}': 3,
    });
  const text = await scrape();
  expect(readSamples(text)['process_cpu_seconds_total']).toBeGreaterThan(0);
  expect(text).not.toContain(secret);

  const metricsUrl = `http://127.0.0.1:${own.port}`;
  expect(await statusOf(`${own.baseUrl}/metrics`)).toBe(404);
  expect(await statusOf(`${metricsUrl}/get-job`)).toBe(404);
  expect(await statusOf(`${metricsUrl}/metrics`, { method: 'POST' })).toBe(405);
});

test('metrics contain no keys and no accounts', async () => {
  const { apiKey, apiSecret, accountId } = await makeCredentials(own.databaseUrl);
  const body = new URLSearchParams({ client_id: apiKey, client_secret: apiSecret, scope: '/get-job' });
  const response = await fetch(`${own.baseUrl}/oauth/token`, { method: 'POST', body });
  const { access_token } = (await response.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}`, apikey: apiKey };
  expect(await statusOf(`${own.baseUrl}/get-job?job_id=unsound`, { headers })).toBe(400);
  const counted = 'tastegraph_http_requests_total{route="/get-job",status="400"}';
  await expect.poll(async () => readSamples(await scrape())).toHaveProperty([counted]);
  const text = await scrape();
  for (const secret of [apiKey, apiSecret, accountId, access_token]) expect(text).not.toContain(secret);
});

test('a worker counts its jobs by how they ended', async () => {
  const port = await findFreePort();
  await using api = await startTestApi({ METRICS_PORT: String(port) });
  const caller = await api.newCaller();
  for (const [users, status] of [
    [60, 'SUCCEED'],
    // Without events the job fails, and is not retried.
    [0, 'FAILED'],
  ] as const) {
    const project = await makeProject(caller, { users, parameters: fixedParameters });
    const job = await waitForJob(caller, project.project_id, await submit(caller, project));
    expect(job.job_status).toBe(status);
  }
  await expect
    .poll(async () => readSamples(await scrape(port)))
    .toMatchObject({
      'tastegraph_jobs_taken_total{type="TRAINING"}': 2,
      'tastegraph_jobs_ended_total{type="TRAINING",status="SUCCEED"}': 1,
      'tastegraph_jobs_ended_total{type="TRAINING",status="FAILED"}': 1,
    });
});

test('an API process reports waiting jobs, also without any worker', async () => {
  const port = await findFreePort();
  await using api = await startTestApi({ METRICS_PORT: String(port) }, startApi);
  const waitingJobs = async () => {
    const samples = readSamples(await scrape(port));
    return [
      samples['tastegraph_jobs_waiting{type="TRAINING"}'],
      samples['tastegraph_jobs_longest_wait_seconds{type="TRAINING"}'],
    ];
  };
  expect(await waitingJobs()).toEqual([0, 0]);
  const caller = await api.newCaller();
  const project = await makeProject(caller, { users: 1, parameters: fixedParameters });
  for (const name of ['first', 'second']) await submit(caller, project, name);
  const [jobs, seconds] = await waitingJobs();
  expect(jobs).toBe(2);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(60);
  expect(await countWaitingJobs(api.db, 1)).toContainEqual(
    expect.objectContaining({ job_type: 'TRAINING', jobs: 1 }),
  );
});
