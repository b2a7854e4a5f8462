import type { Context } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { showProject } from '../projects/get-project.ts';
import type { Services } from '../services.ts';
import { rollBack } from './roll-back.ts';

export const api = ({ store }: Pick<Services, 'store'>) =>
  ({
    rollbackDeployment: async (ctx: Context, { project_id }) =>
      showProject(await rollBack(ctx, store, project_id)),
  }) as const satisfies Handlers;
