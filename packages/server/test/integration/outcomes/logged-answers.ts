import { expect } from 'vitest';
import { newId, timeOfId } from '../../../src/http/ids.ts';
import { readFiles, withDuck } from '../../../src/kernel/files/duckdb.ts';
import { downloadObjects } from '../../../src/kernel/files/local-files.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import { createLog } from '../../../src/kernel/observability/log.ts';
import { createMetrics } from '../../../src/kernel/observability/metrics.ts';
import { outcomes } from '../../../src/outcomes/index.ts';
import type { LoggedAnswer } from '../../../src/outcomes/log/columns.ts';
import { DecisionLog } from '../../../src/outcomes/log/decision-log.ts';
import { sortBatches } from '../../../src/outcomes/log/sort-batches.ts';
import { attributed, hooks } from '../../../src/processes/modules.ts';
import type { TestApi } from '../stack/api.ts';
import { select } from '../stack/kinds.ts';

/** The ID of the nth answer, given at that time. */
export function idAt(ts: number, n: number): string {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  let time = '';
  for (let rest = ts, k = 0; k < 10; k++, rest = Math.floor(rest / 32))
    time = digits.charAt(rest % 32) + time;
  return `rec_${time}${String(n).padStart(16, '0')}`;
}

/** An answer with two items, given now unless the fields say otherwise. */
export function loggedAnswer(
  fields: Pick<LoggedAnswer, 'account_id' | 'project_id'> & Partial<LoggedAnswer>,
): LoggedAnswer {
  const recommendation_id = fields.recommendation_id ?? newId('recommendation');
  return {
    recommendation_id,
    ts: timeOfId(recommendation_id),
    question: 'recommendItemsToUser',
    scenario: 'default',
    scenario_version: null,
    variant: null,
    model_id: 'mdl_test',
    ranker_model_id: null,
    user_id: null,
    is_trial: false,
    item_ids: ['i1', 'i2'],
    detail: { scores: [2, 1], degraded: [], request: {} },
    ...fields,
  };
}

/** Writes the answers as a serving process does, and returns once they are in the store. */
export async function logAnswers(store: ObjectStore, answers: readonly LoggedAnswer[]): Promise<void> {
  const decisions = new DecisionLog({
    store,
    log: createLog('silent', 'serving'),
    metrics: createMetrics(outcomes.metrics),
  });
  for (const answer of answers) decisions.add(answer);
  await decisions.close();
}

/** Sorts all batches. A worker may be sorting the same ones. */
export async function sortAll(api: TestApi): Promise<void> {
  const context = { db: api.db, store: api.store, stopping: new AbortController().signal };
  const waiting = async () => {
    await sortBatches(context, createLog('silent', 'worker')).catch(() => undefined);
    return (await api.objectKeys()).filter((key) => key.startsWith('decisions/new/'));
  };
  await expect.poll(waiting, { timeout: 60_000, interval: 250 }).toEqual([]);
}

/** What a worker needs to attribute the events of a project. */
export const attributionContext = (
  { db, databaseUrl, store }: Pick<TestApi, 'db' | 'databaseUrl' | 'store'>,
  stopping = new AbortController().signal,
) => ({ db, databaseUrl, store, stopping, keptDays: 30, everySeconds: 120, hooks, attributed });

/** The IDs of all answers in the sorted files of a project, with repetitions if an answer is there twice. */
export async function readLoggedIds(
  { db, store }: Pick<TestApi, 'db' | 'store'>,
  projectId: string,
): Promise<string[]> {
  const files = await select<{ object_key: string }>(
    db,
    'SELECT object_key FROM decision_files JOIN projects USING (project_key) WHERE project_id = $1',
    [projectId],
  );
  if (files.length === 0) return [];
  return withDuck({ memoryMb: 256, threads: 1 }, async (duck) => {
    const copies = await downloadObjects(store, duck.folder, files, { mustExist: true });
    const paths = copies.map(({ path }) => path);
    const rows = await duck.rows<{ id: string }>(`SELECT recommendation_id AS id FROM ${readFiles(paths)}`);
    return rows.map(({ id }) => id);
  });
}
