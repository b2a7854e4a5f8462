import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { submitClustering } from '../stack/analysed-project.ts';
import { expectLogged } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { failed, fixedParameters, makeProject, trainModel, waitForJob } from '../stack/training.ts';
import {
  batch,
  busyStages,
  groups,
  manyQueries,
  type Stage,
  startAnalysedCell,
  whileReading,
} from './analysed-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf, statusesOf } from './job-history.ts';
import { holdPublishingResult, watchStage } from './job-stages.ts';

const cell = perFile(() => startAnalysedCell());

const ended = (jobId: string) => waitForJob(cell.caller, cell.project.project_id, jobId);

const firstStages: Readonly<Record<string, string>> = { EXPORT: 'exporting', IMPORT: 'importing' };

describe('a canceled analysis', () => {
  test.each(busyStages)(
    '($type) while $stage is CANCELED at once, and leaves nothing',
    async ({ type, submit, hold }) => {
      const [job, next] = await cancelInStage(submit, hold, firstStages[type] ?? 'reading');
      expect(await ended(next)).toMatchObject({ job_status: 'SUCCEED' });
      expect((await statusesOf(cell.sql, job)).at(-1)).toBe('CANCELED');
      expect((await ended(job)).job_result).toBeNull();
      await expectSound(cell);
    },
  );

  async function cancelInStage(
    submit: Stage['submit'],
    hold: Stage['hold'],
    firstStage: string,
  ): Promise<[string, string]> {
    await using held = await hold(cell);
    const job = await submit(cell);
    const next = await submit(cell);
    await held.reached(job);
    const { project_id } = cell.project;
    const canceled = await cell.caller.call('cancelJob', { project_id, job_id: job });
    expect(canceled).toMatchObject({ job_status: 'CANCELED', job_result: null });
    await watchStage(cell.sql, firstStage).reached(next);
    return [job, next];
  }

  test.each([
    { type: 'QUERYING', submit: manyQueries },
    { type: 'CLUSTERING', submit: groups },
    { type: 'RECOMMENDING', submit: batch },
  ])('($type) that has not started never runs', async ({ submit }) => {
    const waiting = await cancelWaiting(submit);
    await sleep(1000);
    expect(await statusesOf(cell.sql, waiting)).toEqual(['CANCELED']);
    await expectSound(cell);
  });

  async function cancelWaiting(submit: Stage['submit']): Promise<string> {
    await using held = whileReading(cell);
    const running = await submit(cell);
    await held.reached(running);
    const waiting = await submit(cell);
    for (const job_id of [waiting, running])
      await cell.caller.call('cancelJob', { project_id: cell.project.project_id, job_id });
    return waiting;
  }
});

test('two concurrent clusterings of a project never share a new group ID', async () => {
  const made = await makeProject(cell.caller, { parameters: fixedParameters });
  const { project_id } = made;
  const of = { project_id, model_id: await trainModel(cell.caller, made) };
  await using second = await cell.startWorker();
  const jobs = await submitBoth(of);
  for (const job of jobs)
    expect(await waitForJob(cell.caller, project_id, job)).toMatchObject({ job_status: 'SUCCEED' });
  const standings = (await Promise.all(jobs.map((job) => historyOf(cell.sql, job)))).map((all) => all.at(-1));
  // One was overtaken, which does not count as a failure.
  expect(standings.map((one) => one?.attempt).toSorted()).toEqual([1, 2]);
  expect(standings.map((one) => one?.retry_count)).toEqual([0, 0]);
  await expectLogged(second, 'job started');
  await expectSound(cell);
});

/** Both have read the previous state, and found nothing, when one of them publishes first. */
async function submitBoth(of: { project_id: string; model_id: string }): Promise<string[]> {
  await using held = await holdPublishingResult(cell.sql);
  const jobs = [
    await submitClustering(cell.caller, of),
    await submitClustering(cell.caller, of, { min_user_num: 2 }),
  ];
  for (const job of jobs) await held.reached(job);
  return jobs;
}

test('an analysis fails with a reason when its model is deleted while it waits or runs', async () => {
  const made = await makeProject(cell.caller, { parameters: fixedParameters });
  const { project_id } = made;
  const of = { project_id, model_id: await trainModel(cell.caller, made) };
  const jobs = await deleteUnder(of);
  for (const job of jobs)
    expect(await waitForJob(cell.caller, project_id, job)).toMatchObject(failed('MODEL_DELETED'));
  // The training's model was deleted, so `expectSound` does not hold; but nothing is left of these jobs.
  const orphaned = async () => {
    const { rows } = await cell.sql.query<{ object_key: string }>('SELECT object_key FROM loose_objects');
    return rows.filter(({ object_key }) => jobs.some((job) => object_key.includes(job)));
  };
  await expect.poll(orphaned).toEqual([]);
});

async function deleteUnder(of: { project_id: string; model_id: string }): Promise<string[]> {
  await using held = whileReading(cell);
  const running = await submitClustering(cell.caller, of);
  const waiting = await submitClustering(cell.caller, of);
  await held.reached(running);
  await cell.caller.call('deleteModel', of);
  return [running, waiting];
}
