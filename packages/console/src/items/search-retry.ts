/** In ms: soon at first, then less and less often. */
const firstMs = 200;
const lastMs = 2000;

/**
 * When to ask again for a search that ended before it had looked at all items, as the first one of a large dataset may: each search
 * continues the one before.
 */
export const searchRetryMs = (isComplete: boolean | undefined, answers: number): number | false =>
  isComplete === false && Math.min(lastMs, firstMs * 2 ** (answers - 1));
