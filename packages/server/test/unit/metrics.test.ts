import { expect, test } from 'vitest';
import { createMetrics } from '../../src/kernel/observability/metrics.ts';
import { readSamples } from '../prometheus.ts';

test('recorded metrics can be read, and two instances are independent', async () => {
  const [metrics, other] = [createMetrics(), createMetrics()];
  metrics.requestAnswered('/get-job', 200, 0.004);
  metrics.requestAnswered('/get-job', 200, 0.4);
  metrics.requestAnswered(undefined, 404, 0.001);
  metrics.jobStarted('TRAINING');
  metrics.jobEnded('TRAINING', 'SUCCEED');
  metrics.recommendationAnswered('recommendItemsToUser', 10, undefined);
  metrics.recommendationAnswered('recommendItemsToUser', 0, undefined);
  metrics.recommendationDegraded('recommendItemsToUser', 'history', 'deadline');
  metrics.recommendationRefused('qps');
  metrics.limiterFallback(true);
  metrics.watchModels(() => ({ count: 2, bytes: 1000, loads: 5 }));
  metrics.watchJobs(async () => [{ job_type: 'TRAINING', jobs: 3, seconds: 90.5 }]);
  other.initQuestions(['recommendItemsToUser']);
  other.watchJobs(() => Promise.reject(new Error('the database is away')));
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
  expect(readSamples(await other.read())).toMatchObject({
    'tastegraph_recommendations_total{question="recommendItemsToUser",scenario="default"}': 0,
    tastegraph_qps_limiter_alone: 0,
    tastegraph_models_in_memory: 0,
  });
});
