import type { TaskStep } from '../module.ts';
import { expireByAge } from '../projects/expire-by-age.ts';
import type { Services } from '../services.ts';
import { oldJobs } from './rows/retention.ts';

export const expireJobs = (services: Services): TaskStep =>
  expireByAge(oldJobs, services, services.config.jobs.jobDays);
