import type { DatasetKind } from '@tastegraph/contract';
import { enforcePlanCap } from '../accounts/enforce-plan-cap.ts';
import { getDataset } from '../datasets/get-dataset.ts';
import { datasetLockKey } from '../datasets/rows/datasets.ts';
import type { Context } from '../http/context.ts';
import { newId } from '../http/ids.ts';
import { checkNegativeTypes } from './check-negative-types.ts';
import { insertProject, type ProjectRow } from './rows/projects.ts';

/** The fields that the caller sets. */
type ProjectSettings = Omit<
  ProjectRow,
  | 'project_key'
  | 'project_id'
  | 'serving_uri'
  | 'deployment'
  | 'default'
  | 'negative_event_types'
  | 'attribution_hours'
  | 'title_attribute'
  | 'picture_attribute'
> & {
  readonly negative_event_types?: readonly string[] | null;
  readonly attribution_hours?: number | null;
  readonly title_attribute?: string | null;
  readonly picture_attribute?: string | null;
};

export async function createProject(
  ctx: Context,
  servingBaseUrl: string,
  settings: ProjectSettings,
): Promise<ProjectRow> {
  const negative_event_types = settings.negative_event_types ?? [];
  checkNegativeTypes(negative_event_types, settings.target_event_type);
  return ctx.db.transaction(async (tx) => {
    await enforcePlanCap(tx, ctx.accountId, 'projects', () => 1);
    const lockDataset = async (kind: DatasetKind, datasetId: string) => {
      // Deleting a dataset takes this lock exclusively, so it waits for this transaction and then sees the project.
      await tx.lock(datasetLockKey(ctx.accountId, datasetId), 'shared');
      return (await getDataset(ctx, kind, datasetId, tx)).dataset_key;
    };
    const project_id = newId('project');
    return insertProject(tx, ctx.accountId, {
      project_id,
      name: settings.name,
      project_type: settings.project_type,
      user_dataset_key: await lockDataset('user', settings.user_dataset_id),
      item_dataset_key: await lockDataset('item', settings.item_dataset_id),
      event_dataset_key: await lockDataset('event', settings.event_dataset_id),
      target_event_type: settings.target_event_type,
      negative_event_types,
      attribution_hours: settings.attribution_hours ?? 24,
      title_attribute: settings.title_attribute ?? null,
      picture_attribute: settings.picture_attribute ?? null,
      serving_uri: `${servingBaseUrl}/projects/${project_id}`,
    });
  });
}
