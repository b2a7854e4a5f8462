import type { projectOperations } from '../operations/projects.ts';
import { ids, minute, morning, servingUri } from './bookshop.ts';
import type { Examples } from './example.ts';

const bookshop = {
  name: 'Bookshop',
  project_type: 'RECOMMEND_ITEMS_TO_USER',
  user_dataset_id: ids.users,
  item_dataset_id: ids.items,
  event_dataset_id: ids.events,
  target_event_type: 'buy',
} as const;
const created = {
  project_id: ids.project,
  ...bookshop,
  negative_event_types: ['dislike'],
  attribution_hours: 24,
  title_attribute: 'title',
  picture_attribute: null,
  serving_uri: servingUri,
  deployment: null,
  default: false,
};
export const projectExample = {
  ...created,
  default: true,
  deployment: {
    generator_model_id: ids.model,
    ranker_model_id: null,
    qps: 50,
    deployed_ts: morning + 12 * minute,
    previous_model_id: null,
  },
};
const projectRef = { project_id: ids.project };

const algorithm = {
  project_id: ids.project,
  algorithm_id: ids.algorithm,
  name: 'All parameters chosen',
  algorithm_type: 'G1',
  algorithm_parameters: {},
} as const;
const g1Ref = { project_id: ids.project, algorithm_id: ids.algorithm };

export const projectExamples: Examples<keyof typeof projectOperations> = {
  createProject: {
    request: { ...bookshop, negative_event_types: ['dislike'], title_attribute: 'title' },
    response: created,
  },
  getProject: { request: projectRef, response: projectExample },
  listProjects: {
    request: {},
    response: { projects: [projectExample], next_page_token: null, message: null },
  },
  updateProject: {
    request: { project_id: ids.project, name: 'Bookshop, Europe' },
    response: { ...projectExample, name: 'Bookshop, Europe' },
  },
  deleteProject: { request: projectRef, response: projectExample },

  createAlgorithm: {
    request: {
      project_id: ids.project,
      name: 'All parameters chosen',
      algorithm_type: 'G1',
      algorithm_parameters: {},
    },
    response: algorithm,
  },
  getAlgorithm: { request: g1Ref, response: algorithm },
  listAlgorithms: {
    request: projectRef,
    response: { algorithms: [algorithm], next_page_token: null, message: null },
  },
  updateAlgorithm: {
    request: { ...g1Ref, algorithm_parameters: { neighbors: 200, event_weights: { view: 0.2 } } },
    response: { ...algorithm, algorithm_parameters: { neighbors: 200, event_weights: { view: 0.2 } } },
  },
  deleteAlgorithm: { request: g1Ref, response: algorithm },
};
