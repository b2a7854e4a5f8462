import { repeat } from '../../lib/repeat.ts';
import type { Log } from '../../observability/log.ts';
import { claimOutcomeState } from '../../storage/postgres/outcome-states.ts';
import { attributeProject, type OutcomesContext } from './attribute-project.ts';

/** How soon an idle worker notices that a project is due. */
const pauseMs = 5000;
/** Longer than a run takes. A run that is repeated after that gives the same outcomes. */
const claimSeconds = 1800;

/** Attributes events to answers, project by project, until `stopping`. Safe to run in several workers. */
export async function attributeOutcomes(context: OutcomesContext, log: Log): Promise<void> {
  const { db, stopping } = context;
  const onError = (error: unknown) => log.warn({ err: error }, 'failed to attribute events; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    const projectKey = await claimOutcomeState(db, claimSeconds);
    if (projectKey === undefined) return false;
    await attributeProject(context, projectKey);
    return true;
  });
}
