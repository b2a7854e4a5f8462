import type { DatasetKind } from '@tastegraph/contract';
import { datasetLockKey } from '../../storage/postgres/datasets.ts';
import { insertProject, type ProjectRow } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { getDataset } from '../dataset/get-dataset.ts';
import { newId } from '../ids.ts';

/** What the developer says of a project; the rest is ours. */
type ProjectSettings = Omit<ProjectRow, 'project_key' | 'project_id' | 'serving_uri' | 'deployment'>;

export async function createProject(
  ctx: Context,
  servingBaseUrl: string,
  settings: ProjectSettings,
): Promise<ProjectRow> {
  return ctx.db.transaction(async (tx) => {
    const refer = async (kind: DatasetKind, datasetId: string) => {
      // Shared with writers; whoever deletes the dataset takes it alone, and so waits, and then sees the project.
      await tx.lock(datasetLockKey(ctx.accountId, datasetId), 'shared');
      return (await getDataset(ctx, kind, datasetId, tx)).dataset_key;
    };
    const project_id = newId('project');
    return insertProject(tx, ctx.accountId, {
      project_id,
      name: settings.name,
      project_type: settings.project_type,
      user_dataset_key: await refer('user', settings.user_dataset_id),
      item_dataset_key: await refer('item', settings.item_dataset_id),
      event_dataset_key: await refer('event', settings.event_dataset_id),
      target_event_type: settings.target_event_type,
      serving_uri: `${servingBaseUrl}/projects/${project_id}`,
    });
  });
}
