import type { DegradedPart } from '@tastegraph/contract';
import { counter, gauge } from '../kernel/observability/metrics.ts';

/** Why the part is missing: the deadline passed, PostgreSQL or the object store is unavailable, or the model cannot be read. */
export type DegradationCause = 'deadline' | 'database' | 'objects' | 'model' | 'other';

/** `scenario` is a name that callers choose: see `countAnswers`. */
type Answered = {
  readonly question: string;
  readonly scenario: string;
};

export const recommendations = counter<Answered>('recommendations_total', 'Recommendation calls answered', {
  labels: ['question', 'scenario'],
});

export const results = counter<Answered>(
  'recommendation_results_total',
  'Items returned by recommendation calls',
  { labels: ['question', 'scenario'] },
);

export const degradedCalls = counter<{ question: string; reason: DegradedPart; cause: DegradationCause }>(
  'recommendations_degraded_total',
  'Degraded recommendation calls: "reason" is the missing part, "cause" is why it is missing',
  { labels: ['question', 'reason', 'cause'] },
);

export const refusedCalls = counter<{ reason: 'qps' | 'overload' }>(
  'recommendations_refused_total',
  'Recommendation calls refused, because of qps or overload',
  { labels: ['reason'], zeros: [{ reason: 'qps' }, { reason: 'overload' }] },
);

export const limiterAlone = gauge(
  'qps_limiter_alone',
  '1 while this process enforces qps on its own because Redis was unavailable at the last call',
);

export const limiterLeftAlone = counter(
  'qps_limiter_left_alone_total',
  'Times that this process started to enforce qps on its own',
);

export const modelsInMemory = gauge('models_in_memory', 'Models loaded in memory');

export const modelMemory = gauge('models_in_memory_bytes', 'Memory used by loaded models, in bytes');

export const modelLoads = counter('model_loads_total', 'Models that were loaded into memory');
