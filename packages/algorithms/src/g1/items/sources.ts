import type { ItemColumns } from '../../training.ts';
import type { UsedColumns } from './features.ts';
import type { MapParameters } from './map.ts';

/** What a map can learn from besides the values of attributes. Each must help to be used. */
export const mapSources = ['vectors', 'words'] as const;
export type MapSourceName = (typeof mapSources)[number];

/** Values come first, then the sources in their order. Without values, all sources are used: there is nothing else to learn from. */
export function columnsOf(
  columns: number,
  first: ItemColumns | undefined,
  parameters: Pick<MapParameters, MapSourceName>,
): UsedColumns {
  const firsts = mapSources.map((source) => first?.[source]);
  const endOf = (place: number) => firsts.slice(place).find((one) => one !== undefined) ?? columns;
  const values = { from: 0, to: endOf(0) };
  const others = mapSources.flatMap((source, place) => {
    const from = firsts[place];
    const isUsed = parameters[source] === true || values.to === 0;
    return from !== undefined && isUsed ? [{ from, to: endOf(place + 1) }] : [];
  });
  return { values, others };
}

/** The sources that a map uses, and nothing else of its parameters. */
export const usedSources = (map: MapParameters | undefined): Pick<MapParameters, MapSourceName> =>
  Object.fromEntries(mapSources.flatMap((source) => (map?.[source] ? [[source, true]] : [])));
