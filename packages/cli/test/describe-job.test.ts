import type { Job } from '@tastegraph/sdk';
import { expect, test } from 'vitest';
import { describeJob } from '../src/describe-job.ts';

const training: Job = {
  project_id: 'prj_1',
  job_id: 'job_1',
  job_type: 'TRAINING',
  name: 'nightly',
  created_ts: Date.UTC(2026, 0, 1, 3),
  started_ts: Date.UTC(2026, 0, 1, 3, 0, 5),
  finished_ts: Date.UTC(2026, 0, 1, 3, 1, 10),
  job_status: 'SUCCEED',
  retry_count: 0,
  error: null,
  progress: { stage: 'done', fraction: 1, message: null },
  job_data: { algorithm_type: 'G1', algorithm_parameters: {} },
  job_result: { model_id: 'mdl_1' },
};

test('a finished job is one sentence, then its result and times', () => {
  expect(describeJob(training, 'bookshop').split('\n')).toEqual([
    'Training “nightly” succeeded after 1 min 5 s.',
    'model           mdl_1',
    'algorithm type  G1',
    'project         bookshop',
    'created         2026-01-01 03:00:00',
    'started         2026-01-01 03:00:05',
    'ended           2026-01-01 03:01:10',
    'retries         0',
    'id              job_1',
  ]);
});

test('a failed job says why first', () => {
  const failed: Job = {
    ...training,
    job_status: 'FAILED',
    job_result: null,
    error: { code: 'TOO_FEW_EVENTS', message: 'There are only 3 target events. Import more.' },
  };
  expect(describeJob(failed, 'bookshop').split('\n').slice(0, 2)).toEqual([
    'Training “nightly” failed after 1 min 5 s.',
    'why             There are only 3 target events. Import more. (TOO_FEW_EVENTS)',
  ]);
});

test('a running job says in words what it does, and how long that takes', () => {
  const running: Job = {
    ...training,
    job_status: 'RUNNING',
    job_result: null,
    started_ts: Date.now() - 60_000,
    finished_ts: null,
    progress: { stage: 'searching', fraction: 0.5, message: 'how much “view” events count' },
  };
  expect(describeJob(running, 'bookshop')).toContain(
    'progress        50 %, choosing the parameters, how much “view” events count, about 1 min 0 s left',
  );
});
