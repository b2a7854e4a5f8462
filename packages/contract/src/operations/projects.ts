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
    summary: 'Create a project over three datasets and a target event type',
    request: CreateProject,
    response: Project,
    errors: ['NOT_FOUND'],
  },
  getProject: {
    concept: 'Projects',
    summary: 'Get a project',
    request: ProjectRef,
    response: Project,
    errors: ['NOT_FOUND'],
  },
  listProjects: {
    concept: 'Projects',
    summary: "List the account's projects",
    request: Closed(PageQuery),
    response: Page('projects', Project),
    errors: [],
  },
  updateProject: {
    concept: 'Projects',
    summary: 'Rename a project',
    request: UpdateProject,
    response: Project,
    errors: ['NOT_FOUND'],
  },
  deleteProject: {
    concept: 'Projects',
    summary: 'Delete a project with its algorithms, jobs, models and deployment',
    request: ProjectRef,
    response: Project,
    errors: ['NOT_FOUND'],
  },

  createAlgorithm: {
    concept: 'Algorithms',
    summary: 'Create an algorithm configuration in a project',
    request: CreateAlgorithm,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
  getAlgorithm: {
    concept: 'Algorithms',
    summary: 'Get an algorithm',
    request: AlgorithmRef,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
  listAlgorithms: {
    concept: 'Algorithms',
    summary: "List a project's algorithms",
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('algorithms', Algorithm),
    errors: ['NOT_FOUND'],
  },
  updateAlgorithm: {
    concept: 'Algorithms',
    summary: 'Change the name or parameters of an algorithm',
    request: UpdateAlgorithm,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
  deleteAlgorithm: {
    concept: 'Algorithms',
    summary: 'Delete an algorithm; models it trained stay',
    request: AlgorithmRef,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Operation>;
