import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { sortBatches } from '../../src/jobs/decisions/sort-batches.ts';
import { attributeProject } from '../../src/jobs/outcomes/attribute-project.ts';
import { createLog } from '../../src/observability/log.ts';
import { startApi } from '../../src/processes/api.ts';
import { startTestApi } from './api.ts';
import { select } from './kinds.ts';
import { logAnswers, loggedAnswer, readLoggedIds } from './logged-answers.ts';
import { makeProject } from './training.ts';

const perBatch = 40;
/** As many small files of a day are merged. */
const smallFiles = 16;
/** The step that each worker is killed in, soon after its start. */
const kills = ['sort', 'merge', 'attribute', 'merge'];
const maxDelayMs = 80;

test('answers are sorted, merged and attributed exactly once, although workers are killed', async () => {
  await using objects = await mkdtempDisposable(join(tmpdir(), 'tastegraph-objects-'));
  await using api = await startTestApi({ OBJECTS_URL: pathToFileURL(objects.path).href }, startApi, 'api');
  const caller = await api.newCaller();
  const { project_id, event_dataset_id } = await makeProject(caller);
  const [row] = await select<{ project_key: number }>(
    api.db,
    'SELECT project_key FROM projects WHERE project_id = $1',
    [project_id],
  );
  const projectKey = row?.project_key ?? 0;
  const account_id = caller.credentials.accountId;
  const given: string[] = [];
  let clicked = 0;
  /** Of each batch, one answer is followed by an event that names it, and one by an event that does not. */
  const answerBatch = async () => {
    const batch = Array.from({ length: perBatch }, (_, n) =>
      loggedAnswer({ account_id, project_id, user_id: `b${given.length + n}` }),
    );
    await logAnswers(api.store, batch);
    given.push(...batch.map(({ recommendation_id }) => recommendation_id));
    const events = batch.slice(0, 2).map(({ recommendation_id, user_id, ts }, n) => ({
      event_id: recommendation_id,
      user_id: user_id ?? '',
      item_id: 'i1',
      ts,
      event_type: 'buy',
      ...(n === 0 && { recommendation_id }),
    }));
    await caller.call('upsertDatasetEvents', { event_dataset_id, events });
    clicked += events.length;
  };

  const { db, databaseUrl, store } = api;
  const context = {
    db,
    databaseUrl,
    store,
    stopping: new AbortController().signal,
    keptDays: 30,
    everySeconds: 120,
  };
  const log = createLog('silent', 'worker');
  for (let n = 0; n < smallFiles; n++) {
    await answerBatch();
    await sortBatches(context, log);
  }
  for (const step of kills) {
    await answerBatch();
    await killIn(step, [databaseUrl, objects.path, String(projectKey)]);
  }
  await sortBatches(context, log);
  await attributeProject(context, projectKey);

  expect((await readLoggedIds(api, project_id)).toSorted()).toEqual(given.toSorted());
  const figures = async () => {
    const { totals, without_recommendation } = await caller.call('getOutcomes', { project_id });
    const counts = totals.map(({ answers, clicked: click, target_events }) => [
      answers,
      click.total,
      target_events.total,
    ]);
    return { counts, visits: without_recommendation.total.visits };
  };
  const expected = { counts: [[given.length, clicked, clicked]], visits: 0 };
  expect(await figures()).toEqual(expected);
  await attributeProject(context, projectKey);
  expect(await figures()).toEqual(expected);
  const known = await select<{ object_key: string }>(
    db,
    `SELECT object_key FROM decision_files UNION SELECT object_key FROM attribution_files
      UNION SELECT object_key FROM loose_objects`,
    [],
  );
  const keys = new Set(known.map(({ object_key }) => object_key));
  expect((await api.objectKeys()).filter((key) => !keys.has(key))).toEqual([]);
}, 120_000);

/** Starts a worker and kills it at a random moment of the step. */
async function killIn(step: string, args: string[]): Promise<void> {
  const script = fileURLToPath(new URL('./decision-worker.ts', import.meta.url));
  const worker = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(worker, 'exit');
  for await (const line of createInterface({ input: worker.stdout })) if (line === step) break;
  await sleep(Math.random() * maxDelayMs);
  worker.kill('SIGKILL');
  expect((await exited)[1]).toBe('SIGKILL');
}
