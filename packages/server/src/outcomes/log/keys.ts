import { randomBytes } from 'node:crypto';

/** Batches of all accounts, as serving processes write them. Workers sort them into files by project and day. */
export const batchPrefix = 'decisions/new/';

export const dayMs = 24 * 3600_000;

/** The UTC day of a time, in days since 1970. */
export const dayOf = (ts: number): number => Math.floor(ts / dayMs);

/** The times are those of its first and last answer. */
export const newBatchKey = (firstTs: number, lastTs: number): string =>
  `${batchPrefix}${firstTs}-${lastTs}-${randomBytes(8).toString('hex')}.parquet`;

const batchKey = /^decisions\/new\/(\d{1,15})-(\d{1,15})-[0-9a-f]{16}\.parquet$/;

/** The times of the first and last answer in a batch. Undefined for any other object. */
export function batchTimes(key: string): { readonly firstTs: number; readonly lastTs: number } | undefined {
  const [, firstTs, lastTs] = batchKey.exec(key) ?? [];
  return firstTs === undefined ? undefined : { firstTs: Number(firstTs), lastTs: Number(lastTs) };
}

export const newFileKey = (accountId: string, projectId: string, day: number): string =>
  `decisions/${accountId}/${projectId}/${day}-${randomBytes(8).toString('hex')}.parquet`;

/** The decision log has one column for both: names of variants are unique in an experiment only. IDs have no slash. */
export const variantKey = (experimentId: string, variant: string): string => `${experimentId}/${variant}`;

/** Nulls for an answer that was not part of an experiment: null or empty. */
export function splitVariantKey(key: string | null): {
  readonly experiment_id: string | null;
  readonly variant: string | null;
} {
  const at = key?.indexOf('/') ?? -1;
  if (!key || at < 0) return { experiment_id: null, variant: key || null };
  return { experiment_id: key.slice(0, at), variant: key.slice(at + 1) };
}
