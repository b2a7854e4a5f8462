import { Closed, Id, Page, PageQuery } from '../schemas/fields.ts';
import {
  Algorithm,
  AlgorithmRef,
  CreateAlgorithm,
  CreateProject,
  Project,
  ProjectRef,
  UpdateAlgorithm,
  UpdateProject,
} from '../schemas/project.ts';
import type { Operation } from './operation.ts';

export const projectOperations = {
  createProject: {
    concept: 'Projects',
    summary: 'Create a project from three datasets and a target event type',
    description:
      'The `serving_uri` never changes, and serves recommendations once a model is deployed. You cannot change the datasets or the target event type later; create another project with the same datasets instead.',
    request: CreateProject,
    response: Project,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  getProject: {
    concept: 'Projects',
    summary: 'Get a project',
    description: 'Returns the project with its current deployment.',
    request: ProjectRef,
    response: Project,
    errors: ['NOT_FOUND'],
  },
  listProjects: {
    concept: 'Projects',
    summary: "List the account's projects",
    description:
      'Returns the projects, newest first. Without `page_size`, the response contains all of them, up to 10,000.',
    request: Closed(PageQuery),
    response: Page('projects', Project),
    errors: [],
  },
  updateProject: {
    concept: 'Projects',
    summary: 'Rename a project, change how it treats events and shows items, or make it the default project',
    description:
      'You can send the whole project as you read it, but only `name`, `negative_event_types`, `title_attribute`, `picture_attribute` and `default` may differ.',
    request: UpdateProject,
    response: Project,
    errors: ['NOT_FOUND'],
  },
  deleteProject: {
    concept: 'Projects',
    summary: 'Delete a project and its algorithms, jobs, models and deployment',
    description:
      'Returns the deleted project. Its datasets stay. Recommendations stop when the call returns; the files of models and results are removed in the background.',
    request: ProjectRef,
    response: Project,
    errors: ['NOT_FOUND'],
  },

  createAlgorithm: {
    concept: 'Algorithms',
    summary: 'Create an algorithm in a project',
    description:
      'An algorithm is a configuration for training jobs. With `{}` as `algorithm_parameters`, each training job chooses all parameters for your data. Parameters that you set are fixed.',
    request: CreateAlgorithm,
    response: Algorithm,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  getAlgorithm: {
    concept: 'Algorithms',
    summary: 'Get an algorithm',
    description: 'Returns the configuration that new training jobs use.',
    request: AlgorithmRef,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
  listAlgorithms: {
    concept: 'Algorithms',
    summary: "List a project's algorithms",
    description:
      'Returns the algorithms, newest first. Without `page_size`, the response contains all of them, up to 10,000.',
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('algorithms', Algorithm),
    errors: ['NOT_FOUND'],
  },
  updateAlgorithm: {
    concept: 'Algorithms',
    summary: 'Change the name or parameters of an algorithm',
    description: 'Training jobs that were already submitted keep their parameters.',
    request: UpdateAlgorithm,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
  deleteAlgorithm: {
    concept: 'Algorithms',
    summary: 'Delete an algorithm',
    description: 'Returns the deleted algorithm. Its models and the jobs that were already submitted stay.',
    request: AlgorithmRef,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Operation>;
