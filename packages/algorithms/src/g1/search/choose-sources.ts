import type { Evaluation } from '../../evaluation/metrics.ts';
import { defaultMap, type MapParameters } from '../items/map.ts';
import { type MapSourceName, usedSources } from '../items/sources.ts';
import { pickBest } from './pick.ts';

export interface Tried {
  readonly map: MapParameters;
  readonly evaluation: Evaluation;
}

/** Puts items without events first, and lets the map decide nothing else: a list then shows how well they are ordered. */
const newItemsFirst: MapParameters = { ...defaultMap, known: 0, fresh: 1000, freshEvents: 1e-9 };

/**
 * Adds one source after another, if it clearly improves the order of items without events: most words say nothing, and
 * they take the place of pairs of values.
 */
export async function chooseSources(
  evaluate: (maps: readonly MapParameters[]) => Promise<readonly Tried[]>,
  sources: readonly MapSourceName[],
): Promise<Pick<MapParameters, MapSourceName>> {
  let best = newItemsFirst;
  let without: readonly Tried[] | undefined;
  for (const source of sources) {
    without ??= await evaluate([best]);
    const used = await evaluate([{ ...best, [source]: true }]);
    const picked = pickBest([...without, ...used], { prefer: ({ map }) => Number(map[source] ?? false) });
    if (!picked) continue;
    best = picked.map;
    without = [picked];
  }
  return usedSources(best);
}
