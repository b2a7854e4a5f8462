import type { scheduleOperations } from '../operations/schedules.ts';
import { ids, minute, morning } from './bookshop.ts';
import type { ExampleResponse, Examples } from './example.ts';

const ref = { project_id: ids.project, schedule_id: ids.schedule };
const nightly = {
  name: 'nightly',
  cron: '0 3 * * *',
  time_zone: 'Europe/Berlin',
  what: {
    job_type: 'TRAINING' as const,
    request: { algorithm_id: ids.algorithm },
    deploy: true,
    guard: { max_loss: 0.01 },
  },
};
const schedule: ExampleResponse<'getSchedule'> = {
  ...ref,
  ...nightly,
  when_running: 'SKIP',
  paused: false,
  created_ts: morning,
  next_run_ts: morning + 17 * 60 * minute,
  last_run: null,
  missed_runs: 0,
  last_missed: null,
};

export const scheduleExamples: Examples<keyof typeof scheduleOperations> = {
  createSchedule: { request: { project_id: ids.project, ...nightly }, response: schedule },
  getSchedule: { request: ref, response: schedule },
  listSchedules: {
    request: { project_id: ids.project },
    response: { schedules: [schedule], next_page_token: null, message: null },
  },
  updateSchedule: {
    request: { ...ref, paused: true },
    response: { ...schedule, paused: true, next_run_ts: null },
  },
  deleteSchedule: { request: ref, response: schedule },
};
