import type { Response } from '@tastegraph/contract';
import type { Handlers } from '../http/handlers.ts';
import { listPage } from '../http/pages.ts';
import { getProject } from '../projects/get-project.ts';
import { createExperiment } from './create-experiment.ts';
import { getResults } from './get-results.ts';
import { type ExperimentRow, listExperimentRows } from './rows/experiments.ts';
import { stopExperiment } from './stop-experiment.ts';

/** An experiment as the API returns it, without internal keys. */
const experiment = (row: ExperimentRow): Response<'createExperiment'> => ({
  project_id: row.project_id,
  experiment_id: row.experiment_id,
  name: row.name,
  scenario: row.scenario,
  variants: row.variants.map((variant) => ({ ...variant })),
  metric: row.metric,
  window_hours: row.window_hours,
  state: row.stopped_ts === null ? 'RUNNING' : 'STOPPED',
  created_ts: row.created_ts,
  stopped_ts: row.stopped_ts,
  promoted: row.promoted,
  verdict: row.verdict,
  decided_ts: row.decided_ts,
  winner: row.winner,
});

const handlers = {
  createExperiment: async (call, { project_id, ...sent }) =>
    experiment(await createExperiment(call, project_id, sent)),
  getExperiment: async (call, { project_id, experiment_id }) => {
    const { experiment: row, figures } = await getResults(call, project_id, experiment_id);
    return { ...experiment(row), ...figures };
  },
  listExperiments: async (call, { project_id, ...request }) => {
    const { project_key } = await getProject(call, project_id);
    const { items, ...page } = await listPage(call, request, {
      name: `experiments ${project_id}`,
      rows: (bounds) => listExperimentRows(call.db, bounds, project_key),
      keyOf: (row) => row.experiment_key,
      present: experiment,
    });
    return { experiments: items, ...page };
  },
  stopExperiment: async (call, { project_id, experiment_id, promote = null }) =>
    experiment(await stopExperiment(call, project_id, experiment_id, promote)),
} as const satisfies Handlers;

export const api = () => handlers;
