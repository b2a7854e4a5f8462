import { expect, test } from 'vitest';
import { oneProject, openWith } from './open-cli.ts';

const schedule = {
  project_id: 'prj_1',
  schedule_id: 'sch_1',
  name: 'nightly',
  cron: '0 3 * * *',
  time_zone: 'Europe/Berlin',
  what: { job_type: 'TRAINING', deploy: true },
  when_running: 'SKIP',
  paused: false,
  created_ts: 1,
  next_run_ts: 1_767_607_200_000,
  last_run: null,
  missed_runs: 4,
  last_missed: null,
};

test('schedule creates a nightly training with a guarded deployment, lists it and pauses it', async () => {
  const lists = { ...oneProject, '/list-schedules': { schedules: [schedule] } };
  const { cli, requests } = await openWith(() => schedule, lists);
  const times = ['--cron', '0 3 * * *', '--time-zone', 'Europe/Berlin'];
  const created = await cli.run(['schedule', 'create', 'nightly', ...times, '--deploy', '--guard', '0.01']);
  expect(created.code).toBe(0);
  expect(created.stdout).toContain('sch_1');
  const listed = await cli.run(['schedule']);
  for (const word of ['sch_1', 'nightly', 'TRAINING', '0 3 * * *', 'Europe/Berlin', '4'])
    expect(listed.stdout).toContain(word);
  expect((await cli.run(['schedule', 'pause', 'sch_1'])).code).toBe(0);
  expect(requests).toEqual([
    [
      '/create-schedule',
      {
        project_id: 'prj_1',
        name: 'nightly',
        cron: '0 3 * * *',
        time_zone: 'Europe/Berlin',
        what: { job_type: 'TRAINING', deploy: true, guard: { max_loss: 0.01 } },
      },
    ],
    ['/update-schedule', { project_id: 'prj_1', schedule_id: 'sch_1', paused: true }],
  ]);
  expect((await cli.run(['schedule', 'create', 'x', ...times, '--request', '[]'])).code).toBe(2);
});
