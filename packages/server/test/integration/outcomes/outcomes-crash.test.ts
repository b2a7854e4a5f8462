import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { placeOf, variantAt } from '../../../src/experiments/served.ts';
import { createLog } from '../../../src/kernel/observability/log.ts';
import { attributeProject } from '../../../src/outcomes/attribution/attribute-project.ts';
import { variantKey } from '../../../src/outcomes/log/keys.ts';
import { sortBatches } from '../../../src/outcomes/log/sort-batches.ts';
import { startApi } from '../../../src/processes/api.ts';
import { startTestApi } from '../stack/api.ts';
import { projectKeyOf, select } from '../stack/kinds.ts';
import { makeProject } from '../stack/training.ts';
import { attributionContext, idAt, logAnswers, loggedAnswer, readLoggedIds } from './logged-answers.ts';

const perBatch = 40;
/** As many small files of a day are merged. */
const smallFiles = 16;
/** What happens to each worker, and in which step, soon after its start. */
const faults = [
  ['sort', 'is killed'],
  ['merge', 'is killed'],
  ['sort', 'cannot write'],
  ['attribute', 'is killed'],
  ['attribute', 'loses its store'],
  ['merge', 'is killed'],
] as const;
const maxDelayMs = 80;
const hourMs = 3600_000;

test('answers are sorted, merged, attributed and measured exactly once, although workers are killed and the store is away', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-objects-'));
  const root = join(folder.path, 'objects');
  await using api = await startTestApi({ OBJECTS_URL: pathToFileURL(root).href }, startApi, 'api');
  const caller = await api.newCaller();
  const { project_id, event_dataset_id } = await makeProject(caller);
  const variants = [{ name: 'control' }, { name: 'treatment' }];
  const experiment = await caller.call('createExperiment', {
    project_id,
    name: 'all answers',
    scenario: 'default',
    variants,
    window_hours: 1,
  });
  const { experiment_id } = experiment;
  // Each user has one answer, from an hour after its start on, and the window after it has passed.
  await api.rows(`UPDATE experiments SET created_at = now() - interval '4 hours' WHERE experiment_id = $1`, [
    experiment_id,
  ]);
  const projectKey = await projectKeyOf(api.db, project_id);
  const account_id = caller.accountId;
  const given: string[] = [];
  let clicked = 0;
  const variantSizes = new Map<string, number>();
  /** Of each batch, one answer is followed by an event that names it, and one by an event that does not. */
  const answerBatch = async () => {
    const answeredMs = Date.now() - 3 * hourMs;
    const batch = Array.from({ length: perBatch }, (_, index) => {
      const n = given.length + index;
      const user_id = `b${n}`;
      const { name = '' } = variantAt(experiment.variants, placeOf(experiment_id, user_id)) ?? {};
      variantSizes.set(name, (variantSizes.get(name) ?? 0) + 1);
      return loggedAnswer({
        account_id,
        project_id,
        user_id,
        recommendation_id: idAt(answeredMs, n),
        variant: variantKey(experiment_id, name),
      });
    });
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

  const context = attributionContext(api);
  const log = createLog('silent', 'worker');
  for (let n = 0; n < smallFiles; n++) {
    await answerBatch();
    await sortBatches(context, log);
  }
  for (const [step, fault] of faults) {
    await answerBatch();
    await using worker = startWorker([api.databaseUrl, root, String(projectKey)]);
    await worker.reaches(step);
    if (fault !== 'cannot write') await sleep(Math.random() * maxDelayMs);
    if (fault === 'is killed') continue;
    const lost = fault === 'cannot write' ? join(root, 'decisions', account_id) : root;
    // Instead of the folder, there is a file.
    await rename(lost, join(folder.path, 'away'));
    await writeFile(lost, '');
    await worker.reaches('failed');
    await rm(lost);
    await rename(join(folder.path, 'away'), lost);
    await worker.reaches('done');
  }
  await sortBatches(context, log);
  await attributeProject(context, projectKey);

  expect((await readLoggedIds(api, project_id)).toSorted()).toEqual(given.toSorted());
  const measured = await caller.call('getExperiment', { project_id, experiment_id });
  expect(measured.results.map(({ name, measured_users }) => [name, measured_users])).toEqual(
    variants.map(({ name }) => [name, variantSizes.get(name)]),
  );
  expect(measured.results.reduce((sum, { converted }) => sum + converted.total, 0)).toBe(clicked);
  const figures = async () => {
    const { totals, without_recommendation } = await caller.call('getOutcomes', { project_id });
    const sum = (countOf: (total: (typeof totals)[number]) => number) =>
      totals.reduce((so, total) => so + countOf(total), 0);
    return {
      answers: sum(({ answers }) => answers),
      clicked: sum(({ clicked: click }) => click.total),
      targets: sum(({ target_events }) => target_events.total),
      visits: without_recommendation.total.visits,
    };
  };
  const expected = { answers: given.length, clicked, targets: clicked, visits: 0 };
  expect(await figures()).toEqual(expected);
  await attributeProject(context, projectKey);
  expect(await figures()).toEqual(expected);
  const known = await select<{ object_key: string }>(
    api.db,
    `SELECT object_key FROM decision_files UNION SELECT object_key FROM attribution_files
      UNION SELECT object_key FROM loose_objects`,
    [],
  );
  const keys = new Set(known.map(({ object_key }) => object_key));
  expect((await api.objectKeys()).filter((key) => !keys.has(key))).toEqual([]);
}, 120_000);

/** A worker that is killed at the end. */
function startWorker(args: string[]): AsyncDisposable & { reaches(step: string): Promise<void> } {
  const script = fileURLToPath(new URL('./decision-worker.ts', import.meta.url));
  const worker = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(worker, 'exit');
  const lines = createInterface({ input: worker.stdout })[Symbol.asyncIterator]();
  return {
    reaches: async (step) => {
      for (let line = await lines.next(); line.value !== step; line = await lines.next())
        if (line.done) throw new Error(`The worker ended before "${step}"`);
    },
    [Symbol.asyncDispose]: async () => {
      worker.kill('SIGKILL');
      expect((await exited)[1]).toBe('SIGKILL');
    },
  };
}
