import { counter, gauge } from '../kernel/observability/metrics.ts';

// Of processes with a replica. In others, they have no value.

export const readsFromReplica = gauge(
  'reads_from_replica',
  '1 while recommendation calls read from the replica, 0 while they read from the primary',
  { zeros: [] },
);

export const replicaLag = gauge(
  'replica_lag_seconds',
  'How far the replica is behind its primary, at most; it grows while one of them is gone',
  { zeros: [] },
);

export const readSwitches = counter<{ to: 'primary' | 'replica' }>(
  'read_switches_total',
  'How often the reads of recommendation calls switched, by target',
  { labels: ['to'] },
);
