import { counter, histogram } from '../kernel/observability/metrics.ts';

/** `route` is the path as declared, or `none` if no route matched. */
export const requests = counter<{ route: string; status: number }>(
  'http_requests_total',
  'HTTP requests answered',
  { labels: ['route', 'status'] },
);

export const requestSeconds = histogram<{ route: string }>(
  'http_request_duration_seconds',
  'Time from a request to its response',
  { labels: ['route'] },
);

export const queueSeconds = histogram<{ class: string }>(
  'call_queue_seconds',
  'Time that API calls waited before they started; calls that did not wait are not counted',
  { labels: ['class'] },
);

export const refusedCalls = counter<{ class: string; reason: string }>(
  'calls_refused_total',
  'API calls refused before they started',
  {
    labels: ['class', 'reason'],
    zeros: [
      { class: 'usual', reason: 'own' },
      { class: 'usual', reason: 'all' },
    ],
  },
);
