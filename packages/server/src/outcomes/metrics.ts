import { counter, gauge } from '../kernel/observability/metrics.ts';

export const decisionsLogged = counter(
  'decisions_logged_total',
  'Answers that this process wrote to the decision log',
);

export const decisionsDropped = counter(
  'decisions_dropped_total',
  'Answers that are missing from the decision log because the object store was unavailable for too long',
);

export const decisionsUnwritten = gauge(
  'decisions_unwritten',
  'Answers that are lost if this process is killed now',
);

export const oldestUnwritten = gauge(
  'decisions_unwritten_seconds',
  'Age of the oldest answer that is lost if this process is killed now',
);

export const attributionRuns = counter<{ outcome: 'done' | 'failed' }>(
  'attribution_runs_total',
  'Runs that attributed the events of a project, by outcome',
  { labels: ['outcome'], zeros: [{ outcome: 'failed' }] },
);

export const attributionSeconds = counter('attribution_seconds_total', 'Time that these runs took');

export const attributionEvents = counter('attribution_events_total', 'Events that these runs attributed');

export const attributionAnswers = counter(
  'attribution_answers_total',
  'Answers whose outcomes these runs counted',
);

export const attributionAge = gauge(
  'attribution_age_seconds',
  'How long ago the events of the project that waits longest were attributed',
  // Absent while no project waits.
  { zeros: [] },
);
