import type { Handlers } from '../http/handlers.ts';
import { getProjectStatistics } from './get-project-statistics.ts';
import { getUsage } from './get-usage.ts';

export const api = () => ({ getProjectStatistics, getUsage }) as const satisfies Handlers;
