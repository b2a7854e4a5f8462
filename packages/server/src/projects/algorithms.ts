import { type AlgorithmType, algorithms } from '@tastegraph/contract';
import { enforcePlanCap } from '../accounts/enforce-plan-cap.ts';
import { invalidFields, requireFound } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { newId } from '../http/ids.ts';
import { listPage } from '../http/pages.ts';
import { getAlgorithm } from './get-algorithm.ts';
import { getProject } from './get-project.ts';
import {
  type AlgorithmRow,
  deleteAlgorithmRow,
  insertAlgorithm,
  listAlgorithms,
  updateAlgorithmRow,
} from './rows/algorithms.ts';

/** An algorithm as the API returns it, without internal keys. */
const showAlgorithm = (row: AlgorithmRow) => ({
  project_id: row.project_id,
  algorithm_id: row.algorithm_id,
  name: row.name,
  algorithm_type: row.algorithm_type,
  algorithm_parameters: row.algorithm_parameters,
});

export const algorithmHandlers = {
  createAlgorithm: async (ctx, { project_id, algorithm_parameters = {}, ...request }) => {
    checkParameters(request.algorithm_type, algorithm_parameters);
    return ctx.db.transaction(async (tx) => {
      await enforcePlanCap(tx, ctx.accountId, 'algorithms', () => 1);
      const row = await insertAlgorithm(tx, ctx.accountId, project_id, {
        algorithm_id: newId('algorithm'),
        ...request,
        algorithm_parameters,
      });
      return showAlgorithm(requireFound(row, 'Project', project_id));
    });
  },

  getAlgorithm: async (ctx, { project_id, algorithm_id }) =>
    showAlgorithm(await getAlgorithm(ctx, project_id, algorithm_id)),

  listAlgorithms: async (ctx, { project_id, ...request }) => {
    const { project_key } = await getProject(ctx, project_id);
    const { items, ...page } = await listPage(ctx, request, {
      name: `algorithms ${project_id}`,
      rows: (bounds) => listAlgorithms(ctx.db, bounds, project_key),
      keyOf: (row) => row.algorithm_key,
      present: showAlgorithm,
    });
    return { algorithms: items, ...page };
  },

  /** Replaces all parameters, if there are any. Existing models keep those that they were trained with. */
  updateAlgorithm: async (ctx, { project_id, algorithm_id, name, algorithm_parameters }) => {
    if (algorithm_parameters) {
      const { algorithm_type } = await getAlgorithm(ctx, project_id, algorithm_id);
      checkParameters(algorithm_type, algorithm_parameters);
    }
    const change = { name, parameters: algorithm_parameters };
    const row = await updateAlgorithmRow(ctx.db, ctx.accountId, project_id, algorithm_id, change);
    return showAlgorithm(requireFound(row, 'Algorithm', algorithm_id, project_id));
  },

  /** The models that it trained stay. */
  deleteAlgorithm: async (ctx, { project_id, algorithm_id }) => {
    const row = await deleteAlgorithmRow(ctx.db, ctx.accountId, project_id, algorithm_id);
    return showAlgorithm(requireFound(row, 'Algorithm', algorithm_id, project_id));
  },
} as const satisfies Handlers;

/** Refuses parameters of other algorithms. The schema of the request, which has those of all, has checked the values. */
function checkParameters(algorithmType: AlgorithmType, parameters: object): void {
  const definition = algorithms.find(({ type }) => type === algorithmType);
  const known = Object.keys(definition?.parameters.properties ?? {});
  const errors = Object.keys(parameters)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path: `algorithm_parameters.${name}`,
      message: `is not a parameter of ${algorithmType}; its parameters are ${known.join(', ')}`,
    }));
  if (errors.length > 0) throw invalidFields(errors);
}
