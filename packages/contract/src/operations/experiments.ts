import { limits } from '../limits.ts';
import {
  CreateExperiment,
  Experiment,
  ExperimentRef,
  ExperimentResults,
  ListExperiments,
  StopExperiment,
} from '../schemas/experiment.ts';
import { Page } from '../schemas/fields.ts';
import type { Operation } from './operation.ts';

export const experimentOperations = {
  createExperiment: {
    concept: 'Experiments',
    summary: 'Compare models or settings on real users',
    description: `Starts at once. Recommendation calls of the scenario with a \`user_id\` are assigned to a variant by a hash of the user and the experiment, so a user always gets the same one; calls that name a \`model_id\` are not part of it. Responses name their variant in \`experiment\`. While it runs, the models and the scenario cannot be deleted. A scenario has at most one running experiment, and an account ${limits.runningExperiments}. A project keeps its last ${limits.experimentsPerProject} experiments. Figures need the decision log: they stop to change once the first answers are older than \`DECISION_LOG_DAYS\`.`,
    request: CreateExperiment,
    response: Experiment,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED', 'EXPERIMENT_RUNNING'],
  },
  getExperiment: {
    concept: 'Experiments',
    summary: 'Get the results of an experiment',
    description:
      'With figures per variant, intervals that you may look at as often as you like, a check of the shares, the verdict and the figures by day.',
    request: ExperimentRef,
    response: ExperimentResults,
    errors: ['NOT_FOUND'],
  },
  listExperiments: {
    concept: 'Experiments',
    summary: "List a project's experiments",
    description: '',
    request: ListExperiments,
    response: Page('experiments', Experiment),
    errors: ['NOT_FOUND'],
  },
  stopExperiment: {
    concept: 'Experiments',
    summary: 'Stop an experiment, and keep a variant for all users',
    description:
      'Applies to the next call. To promote a variant with a model, the caller must be allowed to call `/submit-deployment-job`, and for one with a scenario version, `/update-scenario`. Events that follow earlier responses still count.',
    request: StopExperiment,
    response: Experiment,
    errors: ['NOT_FOUND', 'EXPERIMENT_STOPPED', 'PROJECT_NOT_DEPLOYED'],
  },
} as const satisfies Record<string, Operation>;
