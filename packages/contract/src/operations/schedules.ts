import { limits } from '../limits.ts';
import { Closed, Id, Page, PageQuery } from '../schemas/fields.ts';
import { CreateSchedule, Schedule, ScheduleRef, UpdateSchedule } from '../schemas/schedule.ts';
import type { Operation } from './operation.ts';

export const scheduleOperations = {
  createSchedule: {
    concept: 'Schedules',
    summary: 'Submit a job at certain times',
    description: `Workers submit one job per run, however many workers there are. If no worker was running, the last run that is due is made up for once, and earlier ones count as missed. A run that is missed is in the log and in the metrics of the worker, in \`last_missed\`, and is sent to webhooks. A project has at most ${limits.schedulesPerProject} schedules.`,
    request: CreateSchedule,
    response: Schedule,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  getSchedule: {
    concept: 'Schedules',
    summary: 'Get a schedule',
    description: 'With its next run, its last one and the last one that was missed.',
    request: ScheduleRef,
    response: Schedule,
    errors: ['NOT_FOUND'],
  },
  listSchedules: {
    concept: 'Schedules',
    summary: "List a project's schedules",
    description: '',
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('schedules', Schedule),
    errors: ['NOT_FOUND'],
  },
  updateSchedule: {
    concept: 'Schedules',
    summary: 'Change, pause or resume a schedule',
    description: 'Fields that you leave out stay as they are. A job that is running goes on.',
    request: UpdateSchedule,
    response: Schedule,
    errors: ['NOT_FOUND'],
  },
  deleteSchedule: {
    concept: 'Schedules',
    summary: 'Delete a schedule',
    description: 'Returns the deleted schedule. Its jobs stay, and a job that is running goes on.',
    request: ScheduleRef,
    response: Schedule,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Operation>;
