import type { Handlers } from '../http/handlers.ts';
import type { Services } from '../services.ts';
import { createAlgorithm } from './create-algorithm.ts';
import { createProject } from './create-project.ts';
import { deleteAlgorithm } from './delete-algorithm.ts';
import { deleteProject } from './delete-project.ts';
import { getAlgorithm } from './get-algorithm.ts';
import { getProject } from './get-project.ts';
import { listAlgorithms } from './list-algorithms.ts';
import { listProjects } from './list-projects.ts';
import { modelHandlers } from './models-api.ts';
import { project } from './show-project.ts';
import { updateAlgorithm } from './update-algorithm.ts';
import { updateProject } from './update-project.ts';

type AlgorithmRow = Awaited<ReturnType<typeof getAlgorithm>>;

const algorithm = (row: AlgorithmRow) => ({
  project_id: row.project_id,
  algorithm_id: row.algorithm_id,
  name: row.name,
  algorithm_type: row.algorithm_type,
  algorithm_parameters: row.algorithm_parameters,
});

export function api({ config: { servingBaseUrl } }: Pick<Services, 'config'>) {
  return {
    ...modelHandlers,
    createProject: async (call, request) => project(await createProject(call, servingBaseUrl, request)),
    getProject: async (call, { project_id }) => project(await getProject(call, project_id)),
    listProjects: async (call, request) => {
      const { items, ...page } = await listProjects(call, request, project);
      return { projects: items, ...page };
    },
    updateProject: async (call, { project_id, ...change }) =>
      project(await updateProject(call, project_id, change)),
    deleteProject: async (call, { project_id }) => project(await deleteProject(call, project_id)),

    createAlgorithm: async (call, { project_id, ...request }) =>
      algorithm(await createAlgorithm(call, project_id, request)),
    getAlgorithm: async (call, { project_id, algorithm_id }) =>
      algorithm(await getAlgorithm(call, project_id, algorithm_id)),
    listAlgorithms: async (call, { project_id, ...request }) => {
      const { items, ...page } = await listAlgorithms(call, project_id, request, algorithm);
      return { algorithms: items, ...page };
    },
    updateAlgorithm: async (call, { project_id, algorithm_id, ...change }) =>
      algorithm(await updateAlgorithm(call, project_id, algorithm_id, change)),
    deleteAlgorithm: async (call, { project_id, algorithm_id }) =>
      algorithm(await deleteAlgorithm(call, project_id, algorithm_id)),
  } as const satisfies Handlers;
}
