import { getProjectStatistics } from '../../domain/usage/get-project-statistics.ts';
import { getUsage } from '../../domain/usage/get-usage.ts';
import type { Handlers } from '../handlers.ts';

export const usageHandlers = { getProjectStatistics, getUsage } as const satisfies Handlers;
