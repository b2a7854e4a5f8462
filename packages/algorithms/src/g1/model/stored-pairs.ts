import type { ArraysOf } from '../../container.ts';
import type { PairIndex } from '../fit/pair-index.ts';

/** The arrays of a model's file. The rows of the pairs are with those of all other tokens. */
export const pairArrays = { pairOffsets: 'u32', pairEarlier: 'u32' } as const;

type Arrays = ArraysOf<typeof pairArrays>;

/** Empty arrays for a model without pairs. */
export const storePairs = (pairs: PairIndex | undefined): Arrays => ({
  pairOffsets: pairs?.offsets ?? new Uint32Array(),
  pairEarlier: pairs?.earlier ?? new Uint32Array(),
});

export const readPairs = ({ pairOffsets, pairEarlier }: Arrays): PairIndex | undefined =>
  pairOffsets.length > 0 ? { offsets: pairOffsets, earlier: pairEarlier } : undefined;

/** Describes pairs that cannot be found, or of items that are not there. */
export function pairsFlaw({ pairOffsets, pairEarlier }: Arrays, items: number): string | undefined {
  if (pairOffsets.length === 0 && pairEarlier.length === 0) return undefined;
  if (pairOffsets.length !== items + 1 || pairOffsets[0] !== 0 || pairOffsets[items] !== pairEarlier.length)
    return `The model's pairs are not those of ${items} items`;
  for (let item = 0; item < items; item++)
    if (pairOffsets[item + 1]! < pairOffsets[item]!) return `The pairs of item ${item} end before they begin`;
  for (const item of pairEarlier)
    if (item >= items) return `The model has a pair with item ${item} of ${items}`;
  return undefined;
}
