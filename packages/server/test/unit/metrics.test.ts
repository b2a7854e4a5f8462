import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import * as http from '../../src/http/metrics.ts';
import * as jobs from '../../src/jobs/metrics.ts';
import {
  counter,
  createMetrics,
  gauge,
  type MetricDefinition,
  shareRead,
} from '../../src/kernel/observability/metrics.ts';
import { metricDefinitions } from '../../src/processes/modules.ts';
import { countAnswers } from '../../src/serving/call/questions.ts';
import * as serving from '../../src/serving/metrics.ts';
import { readSamples } from '../prometheus.ts';

const newMetrics = () => createMetrics(metricDefinitions);

test('recorded metrics can be read, and two instances are independent', async () => {
  const [metrics, other] = [newMetrics(), newMetrics()];
  metrics.add(http.requests, { route: '/get-job', status: 200 }, 2);
  metrics.observe(http.requestSeconds, { route: '/get-job' }, 0.004);
  metrics.observe(http.requestSeconds, { route: '/get-job' }, 0.4);
  metrics.add(http.requests, { route: 'none', status: 404 });
  metrics.add(jobs.jobsStarted, { type: 'TRAINING' });
  metrics.add(jobs.jobsEnded, { type: 'TRAINING', status: 'SUCCEED' });
  const countAnswer = countAnswers(metrics, ['recommendItemsToUser']);
  countAnswer('recommendItemsToUser', 10, undefined);
  countAnswer('recommendItemsToUser', 0, undefined);
  metrics.add(serving.degradedCalls, {
    question: 'recommendItemsToUser',
    reason: 'history',
    cause: 'deadline',
  });
  metrics.add(serving.refusedCalls, { reason: 'qps' });
  metrics.set(serving.limiterAlone, 1);
  metrics.watch(serving.modelsInMemory, () => 2);
  metrics.watch(serving.modelMemory, () => 1000);
  metrics.watch(serving.modelLoads, () => 5);
  metrics.watch(jobs.jobsWaiting, async () => [{ labels: { type: 'TRAINING' }, value: 3 }]);
  metrics.watch(jobs.longestWait, async () => [{ labels: { type: 'TRAINING' }, value: 90.5 }]);
  countAnswers(other, ['recommendItemsToUser']);
  other.watch(jobs.jobsWaiting, () => Promise.reject(new Error('the database is away')));
  const samples = readSamples(await metrics.read());
  expect(samples).toMatchObject({
    'tastegraph_http_requests_total{route="/get-job",status="200"}': 2,
    'tastegraph_http_requests_total{route="none",status="404"}': 1,
    'tastegraph_http_request_duration_seconds_bucket{le="0.003",route="/get-job"}': 0,
    'tastegraph_http_request_duration_seconds_bucket{le="0.005",route="/get-job"}': 1,
    'tastegraph_http_request_duration_seconds_bucket{le="0.5",route="/get-job"}': 2,
    'tastegraph_jobs_taken_total{type="TRAINING"}': 1,
    'tastegraph_jobs_ended_total{type="TRAINING",status="SUCCEED"}': 1,
    'tastegraph_recommendations_total{question="recommendItemsToUser",scenario="default"}': 2,
    'tastegraph_recommendation_results_total{question="recommendItemsToUser",scenario="default"}': 10,
    'tastegraph_recommendations_degraded_total{question="recommendItemsToUser",reason="history",cause="deadline"}': 1,
    'tastegraph_recommendations_refused_total{reason="qps"}': 1,
    'tastegraph_recommendations_refused_total{reason="overload"}': 0,
    tastegraph_qps_limiter_alone: 1,
    tastegraph_models_in_memory: 2,
    tastegraph_models_in_memory_bytes: 1000,
    tastegraph_model_loads_total: 5,
    'tastegraph_jobs_waiting{type="TRAINING"}': 3,
    'tastegraph_jobs_longest_wait_seconds{type="TRAINING"}': 90.5,
  });
  expect(samples['process_resident_memory_bytes']).toBeGreaterThan(1e6);
  const others = readSamples(await other.read());
  expect(others).toMatchObject({
    'tastegraph_recommendations_total{question="recommendItemsToUser",scenario="default"}': 0,
    tastegraph_qps_limiter_alone: 0,
    tastegraph_models_in_memory: 0,
  });
  expect(
    Object.keys(others).filter((name) => /tastegraph_(jobs_waiting|replica|attribution_age)/.test(name)),
  ).toEqual([]);
});

test('a process exposes what each module declares, and nothing else can be counted', async () => {
  const src = join(import.meta.dirname, '../../src');
  const files = globSync('**/metrics.ts', { cwd: src, exclude: ['kernel/observability/**'] });
  const declared = await Promise.all(
    files.map(async (file) => Object.values((await import(join(src, file))) as object) as MetricDefinition[]),
  );
  const names = (definitions: readonly MetricDefinition[]) => definitions.map(({ name }) => name).toSorted();
  expect(names(metricDefinitions)).toEqual(names(declared.flat()));
  expect(() => newMetrics().add(counter('unlisted_total', 'Listed nowhere'), {})).toThrow(/unlisted_total/);
});

test('metrics that share a read cause one read per scrape, and have no value while it fails', async () => {
  const [one, two] = [gauge('one', 'One', { zeros: [] }), gauge('two', 'Two', { zeros: [] })];
  const metrics = createMetrics([one, two]);
  const samples = async () =>
    Object.entries(readSamples(await metrics.read())).filter(([name]) => name.startsWith('tastegraph_'));
  expect(await samples()).toEqual([]);
  const read = vi.fn(async () => 7);
  const shared = shareRead(read);
  metrics.watch(one, shared);
  metrics.watch(two, async () => (await shared()) + 1);
  for (const times of [1, 2]) {
    expect(await samples()).toEqual([
      ['tastegraph_one', 7],
      ['tastegraph_two', 8],
    ]);
    expect(read).toHaveBeenCalledTimes(times);
  }
  read.mockRejectedValue(new Error('the database is away'));
  expect(await samples()).toEqual([]);
});

test('scenarios beyond the first 200 are counted together', async () => {
  const metrics = newMetrics();
  const countAnswer = countAnswers(metrics, []);
  for (let n = 0; n < 202; n++) countAnswer('rankItemsForUser', 1, `s${n}`);
  countAnswer('rankItemsForUser', 1, 's0');
  const samples = readSamples(await metrics.read());
  const of = (scenario: string) =>
    samples[`tastegraph_recommendations_total{question="rankItemsForUser",scenario="${scenario}"}`];
  // The one of calls that name none is among the 200.
  expect(['s0', 's198', 's199', 'other'].map(of)).toEqual([2, 1, undefined, 3]);
});
