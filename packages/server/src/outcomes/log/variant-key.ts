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
