import { GetProjectStatistics, GetUsage, ProjectStatistics, Usage } from '../schemas/usage.ts';
import type { Operation } from './operation.ts';

const freshness =
  'Processes count in memory and write their counts every 10 seconds, so the newest calls appear with this delay; a process that is killed loses the counts of these seconds. Counts of calls are kept for 90 days, those of records for 400.';

export const usageOperations = {
  getProjectStatistics: {
    concept: 'Usage',
    summary: 'Get the calls, events and records of a project over time',
    description: freshness,
    request: GetProjectStatistics,
    response: ProjectStatistics,
    errors: ['NOT_FOUND'],
  },
  getUsage: {
    concept: 'Usage',
    summary: 'Get what the account uses of its plan, and its calls by project and caller',
    description: freshness,
    request: GetUsage,
    response: Usage,
    errors: [],
  },
} as const satisfies Record<string, Operation>;
