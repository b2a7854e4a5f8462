import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from './caller.ts';
import { type JobCell, startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { forceHelp, holdBlocks, longFit } from './job-stages.ts';
import type { ServerProcess } from './server-process.ts';
import { makeProject, submit, type TestProject, waitForJob } from './training.ts';

let cell: JobCell;
let caller: Caller;
let project: TestProject;
/** The SHA-256 of the model that one process makes alone. */
let alone: string;
let workers: ServerProcess[];

beforeAll(async () => {
  cell = await startJobCell({ env: { TRAINING_SHARED_FROM_EVENTS: '1' } });
  await forceHelp(cell.sql);
  caller = await cell.newCaller();
  // Stages that take longer than it takes to offer them.
  project = await makeProject(caller, { ...longFit, users: 1000, items: 1000, each: 100 });
  await using single = await cell.startWorker({ TRAINING_SHARED_FROM_EVENTS: '0' });
  alone = await modelOf(await submit(caller, project));
  single.signal('SIGTERM');
  await single.ended;
  workers = await Promise.all([cell.startWorker(), cell.startWorker(), cell.startWorker()]);
});
afterAll(() => cell[Symbol.asyncDispose]());

/** The SHA-256 of the model of a job that succeeds, with as many retries. */
async function modelOf(jobId: string, retries = 0): Promise<string> {
  const job = await waitForJob(caller, project.project_id, jobId, undefined, 120_000);
  expect(job).toMatchObject({ job_status: 'SUCCEED', retry_count: retries });
  const { rows } = await cell.sql.query<{ sha256: string }>(
    'SELECT object_sha256 AS sha256 FROM models JOIN jobs USING (job_key) WHERE job_id = $1',
    [jobId],
  );
  return rows[0]?.sha256 ?? '';
}

test('three processes make the same model to the byte as one', async () => {
  expect(await modelOf(await submit(caller, project))).toBe(alone);
  expect(workers.map((worker) => worker.output()).join()).toContain('helping with a training');
  await expectSound(cell);
});

test("when the training's own worker is killed, another begins again and makes the same model", async () => {
  await using held = await holdBlocks(cell.sql);
  const job = await submit(caller, project);
  await held.reached(job);
  const owner = workers.find((worker) =>
    worker.output().includes(`"job_id":"${job}","attempt":1,"account_id"`),
  );
  owner?.signal('SIGKILL');
  expect(await owner?.ended).toBe('SIGKILL');
  await held[Symbol.asyncDispose]();
  expect(await modelOf(job, 1)).toBe(alone);
  await expectSound(cell);
});
