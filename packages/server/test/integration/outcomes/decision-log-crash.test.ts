import { mkdtempDisposable, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '@tastegraph/dev';
import { parquetReadObjects } from 'hyparquet';
import { expect, inject, test } from 'vitest';
import { timeOfId } from '../../../src/http/ids.ts';
import { openFolderStore } from '../../../src/kernel/objects/folder/open.ts';
import { createLog } from '../../../src/kernel/observability/log.ts';
import { createMetrics } from '../../../src/kernel/observability/metrics.ts';
import { outcomes } from '../../../src/outcomes/index.ts';
import { DecisionLog } from '../../../src/outcomes/log/decision-log.ts';
import { readSamples } from '../../prometheus.ts';
import { startTestApi } from '../stack/api.ts';
import { Caller } from '../stack/caller.ts';
import { startServer } from '../stack/server-process.ts';
import { deployModel, fixedParameters, makeProject, trainModel } from '../stack/training.ts';
import { loggedAnswer, readLoggedIds, sortAll } from './logged-answers.ts';

const patient = { timeout: 30_000, interval: 100 };
const callers = 4;

test('a serving process that is killed loses only the answers that its metrics said it would', async () => {
  await using objects = await mkdtempDisposable(join(tmpdir(), 'tastegraph-objects-'));
  const OBJECTS_URL = pathToFileURL(objects.path).href;
  await using api = await startTestApi({ OBJECTS_URL, TRAINING_THREADS: '1' });
  const caller = await api.newCaller();
  const project = await makeProject(caller, { parameters: fixedParameters });
  const { project_id } = project;
  await deployModel(api.rows, await trainModel(caller, project));
  const METRICS_PORT = String(await findFreePort());
  await using serving = await startServer('serving', {
    DATABASE_URL: api.databaseUrl,
    REDIS_URL: inject('redisUrl'),
    OBJECTS_URL,
    METRICS_PORT,
    SERVING_DEADLINE_MS: '10000',
  });
  const samples = async () => {
    const text = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
    const found = readSamples(text);
    return {
      logged: found['tastegraph_decisions_logged_total'] ?? Number.NaN,
      unwritten: found['tastegraph_decisions_unwritten'] ?? Number.NaN,
      seconds: found['tastegraph_decisions_unwritten_seconds'] ?? Number.NaN,
    };
  };

  const received: string[] = [];
  const stop = new AbortController();
  const asker = new Caller(serving.baseUrl, caller.credentials);
  const ask = async () => {
    while (!stop.signal.aborted) {
      const answer = await asker
        .ask('recommendItemsToUser', { project_id, user_id: 'u1' })
        .catch(() => undefined);
      if (answer?.status === 200) received.push(answer.body.recommendation_id);
      await sleep(10);
    }
  };
  const asking = Array.from({ length: callers }, ask);
  // It has written batches, holds answers that it has not written, and is answering.
  await expect.poll(async () => (await samples()).logged, patient).toBeGreaterThan(20);
  const isHolding = async () => {
    const { unwritten, seconds } = await samples();
    return unwritten > 20 && seconds > 1;
  };
  await expect.poll(isHolding, patient).toBe(true);
  // loaded-modules.test.ts sees the imports of our files only. Workers load DuckDB, of 70 MB, to sort what this process writes.
  const mapped = await readFile(`/proc/${serving.pid}/maps`, 'utf8');
  expect(mapped).toContain(process.execPath);
  expect(mapped).not.toContain('duckdb');
  const receivedBefore = received.length;
  const scrapedTs = Date.now();
  const atRisk = await samples();
  serving.signal('SIGKILL');
  expect(await serving.ended).toBe('SIGKILL');
  const killedTs = Date.now();
  stop.abort();
  await Promise.all(asking);

  await sortAll(api);
  const logged = await readLoggedIds(api, project_id);
  expect(new Set(logged).size).toBe(logged.length);
  const known = new Set(logged);
  const missing = received.filter((id) => !known.has(id));
  expect(missing.length).toBeGreaterThan(0);
  expect(missing.length).toBeLessThanOrEqual(atRisk.unwritten + callers + received.length - receivedBefore);
  expect(logged.length).toBeGreaterThanOrEqual(atRisk.logged);
  const oldestMs = killedTs - Math.min(...missing.map(timeOfId));
  expect(oldestMs).toBeLessThan(atRisk.seconds * 1000 + (killedTs - scrapedTs) + 200);
}, 120_000);

test('while the store is unavailable, answers wait in bounded memory, and all others are counted as dropped', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'tastegraph-objects-'));
  const root = join(folder.path, 'objects');
  const store = await openFolderStore({ root });
  const metrics = createMetrics(outcomes.metrics);
  const maxLength = 20_000;
  const decisions = new DecisionLog({ store, log: createLog('silent', 'serving'), metrics, maxLength });
  const samples = async () => readSamples(await metrics.read());
  const answers = Array.from({ length: 2000 }, (_, n) =>
    loggedAnswer({ account_id: `acc_${n % 2}`, project_id: 'prj_1', user_id: `u${n}` }),
  );
  const lengthOf = (answer: (typeof answers)[number]) => JSON.stringify(answer).length;
  const shortest = Math.min(...answers.map(lengthOf));
  // Instead of the folder, there is a file: every write fails.
  await rename(root, join(folder.path, 'away'));
  await writeFile(root, '');
  for (const answer of answers.slice(0, 20)) decisions.add(answer);
  // The first batch is in flight, and its write fails.
  await expect
    .poll(async () => (await samples())['tastegraph_decisions_unwritten_seconds'], patient)
    .toBeGreaterThan(4);
  for (const answer of answers.slice(20)) decisions.add(answer);
  const { tastegraph_decisions_dropped_total: dropped = 0, tastegraph_decisions_unwritten: unwritten = 0 } =
    await samples();
  expect(dropped + unwritten).toBe(answers.length);
  expect(unwritten).toBeLessThanOrEqual(20 + maxLength / shortest);
  await rm(root);
  await rename(join(folder.path, 'away'), root);
  await decisions.close();
  const written: string[] = [];
  for (const { key } of (await store.list('decisions/')).objects) {
    const { bytes } = await store.read(key);
    const file = Buffer.concat(await bytes.toArray());
    const rows = await parquetReadObjects({
      file: file.buffer.slice(file.byteOffset, file.byteOffset + file.length),
    });
    written.push(...rows.map((one) => String(one['recommendation_id'])));
  }
  expect(new Set(written).size).toBe(written.length);
  expect(written.length).toBe(unwritten);
  expect((await samples())['tastegraph_decisions_logged_total']).toBe(unwritten);
  expect((await samples())['tastegraph_decisions_dropped_total']).toBe(dropped);
}, 60_000);
