import type { Evaluation } from '../../evaluation/metrics.ts';
import { defaultMap, type MapParameters } from '../items/map.ts';
import { type MapSourceName, usedSources } from '../items/sources.ts';
import type { G1Parameters } from '../parameters.ts';
import { pickBest } from './pick.ts';
import type { Validation } from './validation.ts';

/** Weights for items with events: 0, or one of these pairs. A higher weight was never the best. */
const knownWeights = [0.5, 1, 2, 4];
const knownEvents = [10, 100];
/** Never 0: then items without events would have no order among themselves, which a filter or a share for new items needs. */
const freshWeights = [0.25, 0.5, 1, 1.4, 2, 2.8, 4];
/** The most that lose nothing, so that the weight for items without events goes down slowly as events arrive. */
const freshEvents = [0.03, 0.3, 3];

/**
 * Chooses how much the map counts, on data in which some items have lost all their events. First what it learns from,
 * then the weight for items with events, then the one for items without, which is given or chosen, and how fast the two hand over.
 */
export async function chooseMap(
  validation: Validation,
  parameters: G1Parameters,
  fresh: number | undefined,
): Promise<MapParameters | null> {
  const evaluate = async (maps: readonly MapParameters[]): Promise<Tried[]> => {
    const evaluations = await validation.lookAtMaps(parameters, maps);
    return evaluations.map((evaluation, place) => ({ map: maps[place]!, evaluation }));
  };
  const sources = await chooseSources(evaluate, validation.itemSources);
  const start = { ...defaultMap, ...sources, fresh: fresh ?? defaultMap.fresh };
  const pairs = knownWeights.flatMap((known) =>
    knownEvents.map((events) => ({ known, knownEvents: events })),
  );
  const forKnown = await evaluate([{ ...start, known: 0 }, ...pairs.map((pair) => ({ ...start, ...pair }))]);
  if (forKnown.length === 0) return null;
  const { map } = pickBest(forKnown, { prefer: (tried) => tried.map.known })!;
  const forFresh = await evaluate(
    (fresh === undefined ? freshWeights : [fresh]).map((weight) => ({ ...map, fresh: weight })),
  );
  const prefer = (tried: Tried) => -tried.map.fresh;
  const weighed = pickBest(forFresh, { metric: 'recall', prefer, margin: 0.5 })!.map;
  const forEvents = await evaluate(freshEvents.map((events) => ({ ...weighed, freshEvents: events })));
  return pickBest(forEvents, { prefer: (tried) => -tried.map.freshEvents, margin: 0.5 })!.map;
}

interface Tried {
  readonly map: MapParameters;
  readonly evaluation: Evaluation;
}

/** Puts items without events first, and lets the map decide nothing else: a list then shows how well they are ordered. */
const newItemsFirst: MapParameters = { ...defaultMap, known: 0, fresh: 1000, freshEvents: 1e-9 };

/** Adds one source after another if it clearly helps: most words say nothing, and take the place of pairs of values. */
async function chooseSources(
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
