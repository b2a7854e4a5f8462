import { limits } from '@tastegraph/contract';

/** The ceiling is on the whole dataset: a shard that happens to be fuller than another refuses nobody. */
export function recordCeiling(numShards: number): number {
  return numShards * limits.recordsPerShard;
}
