import type { Module } from '../module.ts';
import * as metrics from './metrics.ts';

/** The decision log, and what came of recommendations. */
export const outcomes = {
  name: 'outcomes',
  tables: [
    'decision_files',
    'attribution_files',
    'sorted_batches',
    'outcomes',
    'outcome_days',
    'outcome_states',
  ],
  api: async () => (await import('./api.ts')).api,
  tasks: [
    {
      name: 'sort the decision log',
      // How soon a worker notices that a round is due.
      pauseMs: 2000,
      open: async () => (await import('./log/keep-decisions.ts')).keepDecisions,
    },
    {
      name: 'attribute events',
      // How soon an idle worker notices that a project is due.
      pauseMs: 5000,
      open: async () => (await import('./attribution/attribute-outcomes.ts')).attributeOutcomes,
    },
    {
      name: 'remove old outcomes',
      pauseMs: 10 * 60_000,
      open: async () => (await import('./attribution/attribute-outcomes.ts')).purgeOutcomes,
    },
  ],
  account: async () => (await import('./account.ts')).account,
  metrics: Object.values(metrics),
} satisfies Module;
