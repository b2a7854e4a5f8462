import type { DatasetKind } from '@tastegraph/contract';
import { enforcePlanCap } from '../accounts/enforce-plan-cap.ts';
import { getDataset } from '../datasets/get-dataset.ts';
import { datasetLockKey } from '../datasets/rows/datasets.ts';
import { ApiError, invalidField } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { newId } from '../http/ids.ts';
import { listPage } from '../http/pages.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { Services } from '../services.ts';
import { algorithmHandlers } from './algorithms.ts';
import { getProject, requireProject, showProject } from './get-project.ts';
import { modelHandlers } from './models.ts';
import {
  deleteProjectRow,
  insertProject,
  listProjectIdsOfDataset,
  listProjects,
  lockProject,
  setDefaultProject,
  updateProjectRow,
} from './rows/projects.ts';

export function api({ config: { servingBaseUrl } }: Pick<Services, 'config'>) {
  return {
    ...algorithmHandlers,
    ...modelHandlers,

    createProject: async (ctx, request) => {
      const negative_event_types = request.negative_event_types ?? [];
      checkNegativeTypes(negative_event_types, request.target_event_type);
      return ctx.db.transaction(async (tx) => {
        await enforcePlanCap(tx, ctx.accountId, 'projects', () => 1);
        const lockDataset = async (kind: DatasetKind, datasetId: string) => {
          // Deleting a dataset takes this lock exclusively, so it waits for this transaction and then sees the project.
          await tx.lock(datasetLockKey(ctx.accountId, datasetId), 'shared');
          return (await getDataset(ctx, kind, datasetId, tx)).dataset_key;
        };
        const project_id = newId('project');
        const row = await insertProject(tx, ctx.accountId, {
          project_id,
          name: request.name,
          project_type: request.project_type,
          user_dataset_key: await lockDataset('user', request.user_dataset_id),
          item_dataset_key: await lockDataset('item', request.item_dataset_id),
          event_dataset_key: await lockDataset('event', request.event_dataset_id),
          target_event_type: request.target_event_type,
          negative_event_types,
          attribution_hours: request.attribution_hours ?? 24,
          event_value_max: request.event_value_max ?? null,
          title_attribute: request.title_attribute ?? null,
          picture_attribute: request.picture_attribute ?? null,
          serving_uri: `${servingBaseUrl}/projects/${project_id}`,
        });
        return showProject(row);
      });
    },

    getProject: async (ctx, { project_id }) => showProject(await getProject(ctx, project_id)),

    listProjects: async (ctx, request) => {
      const { items, ...page } = await listPage(ctx, request, {
        name: 'projects',
        rows: (bounds) => listProjects(ctx.db, bounds, ctx.accountId),
        keyOf: (row) => row.project_key,
        present: showProject,
      });
      return { projects: items, ...page };
    },

    /** `default: false` is allowed only for a project that is not the default. An attribute is removed by null. */
    updateProject: async (ctx, { project_id, default: isDefault, ...fields }) =>
      ctx.db.transaction(async (tx) => {
        const negativeEventTypes = fields.negative_event_types ?? null;
        if (isDefault === true) await setDefaultProject(tx, ctx.accountId, project_id);
        if (isDefault === false || negativeEventTypes) {
          const project = await getProject(ctx, project_id, tx);
          if (isDefault === false && project.default)
            throw invalidField(
              'default',
              'cannot be false for the default project; send true for another project instead',
            );
          checkNegativeTypes(negativeEventTypes ?? [], project.target_event_type);
        }
        const change = {
          name: fields.name ?? null,
          negativeEventTypes,
          attributionHours: fields.attribution_hours ?? null,
          eventValueMax: fields.event_value_max,
          titleAttribute: fields.title_attribute,
          pictureAttribute: fields.picture_attribute,
        };
        const row = await updateProjectRow(tx, ctx.accountId, project_id, change);
        return showProject(requireProject(row, project_id));
      }),

    /** Also deletes its algorithms, jobs, models and deployment, but not the datasets. */
    deleteProject: async (ctx, { project_id }) =>
      ctx.db.transaction(async (tx) => {
        // Locked first, so that the delete sees the model of a training that is published concurrently.
        await lockProject(tx, ctx.accountId, project_id);
        return showProject(requireProject(await deleteProjectRow(tx, ctx.accountId, project_id), project_id));
      }),
  } as const satisfies Handlers;
}

/** Throws if the target event type is negative. Types that never occur are allowed. */
function checkNegativeTypes(negativeTypes: readonly string[], targetType: string): void {
  const place = negativeTypes.indexOf(targetType);
  if (place !== -1) throw invalidField(`negative_event_types[${place}]`, 'cannot be the target event type');
}

/** Projects that the error lists. */
const projectsNamed = 10;

/** Why a dataset must stay: projects use it. */
export async function needsDataset(
  db: Queryable,
  { key }: { readonly key: number },
): Promise<ApiError | undefined> {
  const projects = await listProjectIdsOfDataset(db, key, projectsNamed);
  if (projects.length === 0) return undefined;
  return new ApiError(
    'DATASET_IN_USE',
    `These projects use the dataset: ${projects.join(', ')}. Delete them with /delete-project first.`,
  );
}
