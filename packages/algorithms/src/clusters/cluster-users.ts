import type { Clustering, ClusteringInput, ClusteringOptions } from './clustering.ts';

/** Groups users by their taste. Deterministic; in this thread; time and memory linear in users, items and events. */
export function clusterUsers(input: ClusteringInput, options: ClusteringOptions = {}): Clustering {
  throw new Error(`Not there yet: ${input.events.users} users, ${options.maxClusters ?? 0}`);
}
