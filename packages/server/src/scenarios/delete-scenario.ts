import type { Context } from '../http/context.ts';
import { isForeignKeyViolation } from '../kernel/postgres/pool.ts';
import { requireScenario } from './get-scenario.ts';
import { deleteScenarioRow, type ScenarioRow } from './rows.ts';

/** Returns the deleted scenario. Calls that name it are refused from now on. */
export async function deleteScenario(ctx: Context, projectId: string, name: string): Promise<ScenarioRow> {
  try {
    const row = await deleteScenarioRow(ctx.db, ctx.accountId, projectId, name);
    return requireScenario(row, projectId, name);
  } catch (error) {
    // Only running experiments have a foreign key that prevents the delete.
    if (!isForeignKeyViolation(error)) throw error;
    const { accountId } = ctx;
    throw (await ctx.hooks.neededBy(ctx.db, { what: 'scenario', accountId, projectId, name })) ?? error;
  }
}
