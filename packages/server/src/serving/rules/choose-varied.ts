import type { Scorer } from '@tastegraph/algorithms';
import type { FoundItem } from '../item-finder.ts';
import { Diversifier } from './diversify.ts';
import { diversityOf } from './limit-values.ts';
import { similarityByModel } from './similarity.ts';

type Level = NonNullable<Parameters<typeof diversityOf>[0]>['level'];

/** The first `limit` items of a page, chosen from `pool` (best first) by a level of diversity. For benchmarks. */
export function chooseVaried(
  pool: readonly number[],
  scorer: Pick<Required<Scorer>, 'similarities'>,
  level: NonNullable<Level>,
  limit: number,
): number[] {
  const { weight } = diversityOf({ level });
  if (weight === undefined) return pool.slice(0, limit);
  const items = pool.map(
    (number): FoundItem => ({
      candidate: { number, itemId: String(number), score: 0, isFilled: false },
      attributes: {},
      length: 0,
      marks: undefined,
    }),
  );
  const diversifier = new Diversifier(items, similarityByModel(items, scorer), weight);
  const chosen = new Set<number>();
  while (chosen.size < Math.min(limit, pool.length)) {
    const next = diversifier.choose(({ candidate }) => !chosen.has(candidate.number ?? -1));
    if (next?.candidate.number === undefined) break;
    diversifier.take(next);
    chosen.add(next.candidate.number);
  }
  return [...chosen];
}
