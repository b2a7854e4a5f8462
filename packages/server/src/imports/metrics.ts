import { counter } from '../kernel/observability/metrics.ts';

/** `written` counts records. */
export const segmentMessages = counter<{ outcome: 'written' | 'ignored' | 'failed' }>(
  'segment_messages_total',
  "Messages of Segment's clients, by outcome: written, ignored or failed",
  { labels: ['outcome'], zeros: [{ outcome: 'failed' }] },
);
