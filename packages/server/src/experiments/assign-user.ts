import { uniformOf } from '../serving/uniform-hash.ts';

/**
 * Where a user is between 0 and 1 in an experiment: the first six bytes of SHA-256 of the experiment's ID, a slash and the user's ID. A
 * user is always in the same place, and the places of two experiments are independent.
 */
export function placeOf(experimentId: string, userId: string): number {
  return uniformOf(`${experimentId}/${userId}`);
}

/** The variant whose part of 0 to 1 holds the place, in their order. Undefined beyond the sum of all shares. */
export function variantAt<Variant extends { readonly share: number }>(
  variants: readonly Variant[],
  place: number,
): Variant | undefined {
  let end = 0;
  for (const variant of variants) {
    end += variant.share;
    if (place < end) return variant;
  }
  // Three thirds add up to a little less than 1.
  return end > 1 - 1e-9 ? variants.at(-1) : undefined;
}
