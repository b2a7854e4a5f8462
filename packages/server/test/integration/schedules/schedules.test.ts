import type { Request } from '@tastegraph/contract';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../../../src/kernel/observability/metrics.ts';
import { openQueue } from '../../../src/kernel/postgres/queue.ts';
import { startApi } from '../../../src/processes/api.ts';
import { hooks, jobDefinition } from '../../../src/processes/modules.ts';
import { schedules } from '../../../src/schedules/index.ts';
import { runDueSchedule } from '../../../src/schedules/run-schedules.ts';
import type { TestApi } from '../stack/api.ts';
import { deploy, deployed, makeTrained, startDeploymentApi, startServer } from '../stack/deployment-cell.ts';
import { api, caller, invalid, ownProduct, perFile, problem } from '../stack/stack.ts';
import { createAlgorithm, makeProject } from '../stack/training.ts';

const nightly = { name: 'nightly', cron: '0 3 * * *', time_zone: 'Europe/Berlin' };
type What = Request<'createSchedule'>['what'];

async function openWorkers({ db }: TestApi, count: number) {
  const queue = await openQueue(db, () => undefined);
  const log = pino({ level: 'silent' });
  const stopping = new AbortController().signal;
  return Array.from({ length: count }, () => ({
    db,
    queue,
    hooks,
    jobDefinition,
    log,
    stopping,
    metrics: createMetrics(schedules.metrics),
  }));
}

/** As if it had been due for so long. */
const makeDue = (of: TestApi, schedule_id: string, ago: string) =>
  of.rows(`UPDATE schedules SET next_at = date_trunc('hour', now()) - $2::interval WHERE schedule_id = $1`, [
    schedule_id,
    ago,
  ]);

describe('without a worker of its own, a schedule', () => {
  ownProduct({}, startApi);
  const project = perFile(() => makeProject(caller));
  const cell = perFile(async () => ({ workers: await openWorkers(api, 2) }));

  const create = (what: What, more: object = {}) =>
    caller.call('createSchedule', { project_id: project.project_id, ...nightly, what, ...more });
  const jobsNamed = async (name: string) => {
    const { project_id } = project;
    return (await caller.call('listJobs', { project_id })).jobs.filter((job) => job.name === name);
  };
  /** All workers look at the same moment, again and again. */
  const runAll = async () => {
    for (let round = 0; round < 3; round++)
      await Promise.all([...cell.workers, ...cell.workers].map((worker) => runDueSchedule(worker)));
  };
  const counted = async (outcome: string) => {
    const texts = await Promise.all(cell.workers.map(({ metrics }) => metrics.read()));
    const pattern = new RegExp(`tastegraph_scheduled_runs_total\\{outcome="${outcome}"\\} (\\d+)`);
    return texts.reduce((sum, text) => sum + Number(pattern.exec(text)?.[1] ?? 0), 0);
  };

  test('has one run per time, however many workers there are', async () => {
    const { schedule_id } = await create({ job_type: 'TRAINING' }, { name: 'once', cron: '0 * * * *' });
    await makeDue(api, schedule_id, '0 hours');
    await runAll();
    const jobs = await jobsNamed('once');
    expect(jobs).toMatchObject([{ job_type: 'TRAINING', job_status: 'PENDING' }]);
    const { project_id } = project;
    const shown = await caller.call('getSchedule', { project_id, schedule_id });
    expect(shown).toMatchObject({ last_run: { job_id: jobs[0]?.job_id }, missed_runs: 0, last_missed: null });
    expect(shown.next_run_ts).toBeGreaterThan(Date.now());
    expect(await counted('started')).toBe(1);
    await caller.call('deleteSchedule', { project_id, schedule_id });
    expect(await caller.ask('getSchedule', { project_id, schedule_id })).toMatchObject({ status: 404 });
  });

  test('makes up for the last run after an outage, and reports the others as missed', async () => {
    const what: What = {
      job_type: 'EXPORT',
      request: { event_dataset_id: project.event_dataset_id, format: 'CSV' },
    };
    const { schedule_id } = await create(what, { name: 'late', cron: '0 * * * *' });
    const before = await counted('missed');
    await makeDue(api, schedule_id, '5 hours');
    await runAll();
    expect(await jobsNamed('late')).toHaveLength(1);
    const { project_id } = project;
    expect(await caller.call('getSchedule', { project_id, schedule_id })).toMatchObject({
      missed_runs: 5,
      last_missed: { code: 'NO_WORKER' },
    });
    expect(await counted('missed')).toBe(before + 5);
  });

  test.each([
    ['SKIP', 1, 1],
    ['QUEUE', 2, 0],
  ] as const)('with %s handles a run before that has not ended', async (when_running, jobs, missed) => {
    const name = `running ${when_running}`;
    const { schedule_id } = await create({ job_type: 'TRAINING' }, { name, when_running, cron: '0 * * * *' });
    for (let run = 0; run < 2; run++) {
      await makeDue(api, schedule_id, '0 hours');
      await runAll();
    }
    expect(await jobsNamed(name)).toHaveLength(jobs);
    const { project_id } = project;
    expect(await caller.call('getSchedule', { project_id, schedule_id })).toMatchObject({
      missed_runs: missed,
      last_missed: missed > 0 ? { code: 'PREVIOUS_RUNNING' } : null,
    });
  });

  test('whose job is refused reports why, and goes on', async () => {
    const { project_id } = project;
    const algorithm_id = await createAlgorithm(caller, project_id, 'G1');
    const what = { job_type: 'TRAINING', request: { algorithm_id } } as const;
    const { schedule_id } = await create(what, { name: 'refused' });
    await caller.call('deleteAlgorithm', { project_id, algorithm_id });
    expect((await caller.ask('createSchedule', { project_id, ...nightly, what })).status).toBe(404);
    await makeDue(api, schedule_id, '0 hours');
    await runAll();
    const shown = await caller.call('getSchedule', { project_id, schedule_id });
    expect(shown).toMatchObject({ last_run: null, missed_runs: 1, last_missed: { code: 'NOT_FOUND' } });
    expect(shown.next_run_ts).toBeGreaterThan(Date.now());
  });

  test('that is paused has no runs, and resumes with the next time', async () => {
    const { project_id } = project;
    const { schedule_id } = await create({ job_type: 'TRAINING' }, { name: 'paused' });
    const ref = { project_id, schedule_id };
    expect(await caller.call('updateSchedule', { ...ref, paused: true })).toMatchObject({
      paused: true,
      next_run_ts: null,
    });
    await makeDue(api, schedule_id, '9 hours');
    await runAll();
    expect(await jobsNamed('paused')).toEqual([]);
    const resumed = await caller.call('updateSchedule', { ...ref, paused: false });
    expect(resumed.next_run_ts).toBeGreaterThan(Date.now());
    const moved = await caller.call('updateSchedule', { ...ref, cron: '30 4 * * *', time_zone: 'UTC' });
    expect(new Date(moved.next_run_ts ?? 0).toISOString()).toMatch(/T04:30:00/);
  });

  test('is run now on request, and then again at its next time', async () => {
    const { project_id } = project;
    const { schedule_id, next_run_ts } = await create({ job_type: 'TRAINING' }, { name: 'now' });
    await caller.call('updateSchedule', { project_id, schedule_id, run_now: true });
    await runAll();
    expect(await jobsNamed('now')).toHaveLength(1);
    expect(await caller.call('getSchedule', { project_id, schedule_id })).toMatchObject({
      next_run_ts,
      missed_runs: 0,
    });
    const paused = { project_id, schedule_id, paused: true, run_now: true };
    expect(await caller.ask('updateSchedule', paused)).toMatchObject(invalid('run_now'));
  });

  test('is refused if its times, its job or its combination are not valid', async () => {
    const { project_id } = project;
    for (const wrong of [
      { cron: 'x' },
      { time_zone: 'Mars/X' },
      { what: { job_type: 'DEPLOYMENT' } },
      { what: { job_type: 'TRAINING', request: { unknown: 1 } } },
      { what: { job_type: 'QUERYING' } },
      { what: { job_type: 'TRAINING', guard: { max_loss: 0.01 } } },
      { what: { job_type: 'EXPORT', deploy: true, request: { format: 'CSV' } } },
    ]) {
      const request = { project_id, ...nightly, what: { job_type: 'TRAINING' }, ...wrong };
      const answer = await caller.ask('createSchedule', request);
      expect(answer, JSON.stringify(wrong)).toMatchObject(problem(400, 'INVALID_REQUEST'));
    }
  });
});

test('a scheduled training is deployed once it has succeeded, with two workers', async () => {
  await using own = await startDeploymentApi();
  await startServer(own);
  const owner = await own.newCaller();
  const project = await makeTrained(owner);
  await deploy(owner, project, { generator_model_id: project.model_id, qps: 7 });
  const { project_id } = project;
  const { schedule_id } = await owner.call('createSchedule', {
    project_id,
    ...nightly,
    what: { job_type: 'TRAINING', deploy: true, guard: { max_loss: 0.5 } },
  });
  await makeDue(own, schedule_id, '0 hours');
  await expect
    .poll(async () => (await deployed(owner, project))?.generator_model_id, { timeout: 30_000 })
    .not.toBe(project.model_id);
  const { jobs } = await owner.call('listJobs', { project_id });
  const ofRun = jobs.filter(({ name }) => name === 'nightly');
  expect(ofRun.map(({ job_type }) => job_type)).toEqual(['DEPLOYMENT', 'TRAINING']);
  expect(ofRun[1]?.job_data).toMatchObject({ holdout_hours: 24 });
  expect(await deployed(owner, project)).toMatchObject({ qps: 7 });
});
