import { type ApiError, invalidField } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { checkNegativeTypes } from './check-negative-types.ts';
import { requireProject } from './get-project.ts';
import { findProject, type ProjectRow, setDefaultProject, updateProjectRow } from './rows/projects.ts';

interface ProjectChange {
  readonly name?: string | null;
  readonly negative_event_types?: readonly string[] | null;
  readonly attribution_hours?: number | null;
  /** Absent leaves it as it is, null removes it. */
  readonly title_attribute?: string | null;
  readonly picture_attribute?: string | null;
  /** True makes it the account's default project. False is allowed only for a project that is not the default. */
  readonly default?: boolean | null;
}

export async function updateProject(
  ctx: Context,
  projectId: string,
  { name = null, default: isDefault = null, ...fields }: ProjectChange,
): Promise<ProjectRow> {
  const { negative_event_types: negativeEventTypes = null, title_attribute, picture_attribute } = fields;
  return ctx.db.transaction(async (tx) => {
    if (isDefault === true) await setDefaultProject(tx, ctx.accountId, projectId);
    if (isDefault === false || negativeEventTypes) {
      const project = requireProject(await findProject(tx, ctx.accountId, projectId), projectId);
      if (isDefault === false && project.default) throw unsetDefaultError();
      checkNegativeTypes(negativeEventTypes ?? [], project.target_event_type);
    }
    const change = {
      name,
      negativeEventTypes,
      attributionHours: fields.attribution_hours ?? null,
      titleAttribute: title_attribute,
      pictureAttribute: picture_attribute,
    };
    return requireProject(await updateProjectRow(tx, ctx.accountId, projectId, change), projectId);
  });
}

function unsetDefaultError(): ApiError {
  return invalidField(
    'default',
    'cannot be false for the default project; send true for another project instead',
  );
}
