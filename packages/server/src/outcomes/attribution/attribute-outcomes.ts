import type { TaskStep } from '../../module.ts';
import type { Services } from '../../services.ts';
import { dayOf } from '../log/keys.ts';
import { attributionAnswers, attributionEvents, attributionRuns, attributionSeconds } from '../metrics.ts';
import { claimOutcomeState, retryOutcomeState } from '../rows/outcome-states.ts';
import { purgeOutcomes as purgeRows } from '../rows/outcomes.ts';
import { attributeProject, maxShare } from './attribute-project.ts';

/** Longer than a run takes. A run that is repeated after that gives the same outcomes. */
const claimSeconds = 1800;

/** After a run that failed. A long one failed late, and waits for longer. */
const retrySeconds = 30;

/** Attributes events to answers, project by project. Safe to run in several workers. */
export function attributeOutcomes(
  services: Pick<Services, 'db' | 'hooks' | 'store' | 'stopping' | 'config' | 'attributed' | 'metrics'>,
): TaskStep {
  const { db, hooks, store, stopping, metrics, attributed, config } = services;
  const { decisionLogDays: keptDays, outcomesSeconds: everySeconds } = config.jobs;
  const { databaseUrl } = config;
  const context = { db, hooks, databaseUrl, store, stopping, keptDays, everySeconds, attributed };
  return async () => {
    const projectKey = await claimOutcomeState(db, claimSeconds);
    if (projectKey === undefined) return false;
    const startedMs = performance.now();
    const secondsTaken = () => (performance.now() - startedMs) / 1000;
    try {
      const { events, answers } = await attributeProject(context, projectKey);
      metrics.add(attributionRuns, { outcome: 'done' });
      metrics.add(attributionEvents, {}, events);
      metrics.add(attributionAnswers, {}, answers);
    } catch (error) {
      metrics.add(attributionRuns, { outcome: 'failed' });
      await retryOutcomeState(db, projectKey, Math.max(retrySeconds, secondsTaken() / maxShare));
      throw error;
    } finally {
      metrics.add(attributionSeconds, {}, secondsTaken());
    }
    return true;
  };
}

const outcomeDays = 400;
const rowsPerStep = 1000;

/** Removes old outcomes. */
export function purgeOutcomes({ db }: Pick<Services, 'db'>): TaskStep {
  return async () => (await purgeRows(db, dayOf(Date.now()) - outcomeDays, rowsPerStep)) === rowsPerStep;
}
