import { repeat } from '../../kernel/lib/repeat.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Metrics } from '../../kernel/observability/metrics.ts';
import { claimOutcomeState, retryOutcomeState } from '../rows/outcome-states.ts';
import { attributeProject, maxShare, type OutcomesContext } from './attribute-project.ts';

/** How soon an idle worker notices that a project is due. */
const pauseMs = 5000;
/** Longer than a run takes. A run that is repeated after that gives the same outcomes. */
const claimSeconds = 1800;

/** After a run that failed. A long one failed late, and waits for longer. */
const retrySeconds = 30;

/** Attributes events to answers, project by project, until `stopping`. Safe to run in several workers. */
export async function attributeOutcomes(
  context: OutcomesContext,
  log: Log,
  metrics: Pick<Metrics, 'attributionEnded'>,
): Promise<void> {
  const { db, stopping } = context;
  const onError = (error: unknown) => log.warn({ err: error }, 'failed to attribute events; will retry');
  await repeat({ pauseMs, stopping, onError }, async () => {
    const projectKey = await claimOutcomeState(db, claimSeconds);
    if (projectKey === undefined) return false;
    const startedMs = performance.now();
    const secondsTaken = () => (performance.now() - startedMs) / 1000;
    try {
      const { events, answers } = await attributeProject(context, projectKey);
      metrics.attributionEnded('done', { seconds: secondsTaken(), events, answers });
    } catch (error) {
      metrics.attributionEnded('failed', { seconds: secondsTaken(), events: 0, answers: 0 });
      await retryOutcomeState(db, projectKey, Math.max(retrySeconds, secondsTaken() / maxShare));
      throw error;
    }
    return true;
  });
}
