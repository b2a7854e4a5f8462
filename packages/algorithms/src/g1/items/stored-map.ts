import type { ArraysOf } from '../../container.ts';
import type { ItemMap } from './map.ts';

/** The arrays of a map in a model's file; all are empty if the model has none. */
export const mapArrays = {
  featureFirst: 'u32',
  featureSecond: 'u32',
  itemFeatureOffsets: 'u32',
  itemFeature: 'u32',
  mapOffsets: 'u32',
  mapFeature: 'u32',
  mapScale: 'f32',
  mapValue: 'i8',
  itemEvents: 'u32',
  fewEventItems: 'u32',
} as const;

export type MapArrays = ArraysOf<typeof mapArrays>;

export function storeMap(map: ItemMap | undefined): MapArrays {
  const none = new Uint32Array();
  return {
    featureFirst: map?.features.first ?? none,
    featureSecond: map?.features.second ?? none,
    itemFeatureOffsets: map?.phi.offsets ?? none,
    itemFeature: map?.phi.column ?? none,
    mapOffsets: map?.rows.offsets ?? none,
    mapFeature: map?.rows.feature ?? none,
    mapScale: map?.rows.scale ?? new Float32Array(),
    mapValue: map?.rows.value ?? new Int8Array(),
    itemEvents: map?.events ?? none,
    fewEventItems: map?.few ?? none,
  };
}

export function readMap(arrays: MapArrays, items: number): ItemMap | undefined {
  const count = arrays.featureFirst.length;
  if (count === 0) return undefined;
  return {
    features: { count, first: arrays.featureFirst, second: arrays.featureSecond },
    phi: { rows: items, columns: count, offsets: arrays.itemFeatureOffsets, column: arrays.itemFeature },
    rows: {
      offsets: arrays.mapOffsets,
      feature: arrays.mapFeature,
      value: arrays.mapValue,
      scale: arrays.mapScale,
    },
    events: arrays.itemEvents,
    few: arrays.fewEventItems,
  };
}

/** Describes a contradiction that would make scoring read out of bounds. */
export function mapFlaw(arrays: MapArrays, items: number, rows: number): string | undefined {
  const count = arrays.featureFirst.length;
  if (count === 0)
    return Object.keys(mapArrays).some((name) => arrays[name as keyof MapArrays].length > 0)
      ? "The model's map has no features"
      : undefined;
  const { itemFeatureOffsets, itemFeature, mapOffsets, mapFeature } = arrays;
  if (arrays.featureSecond.length !== count || arrays.itemEvents.length !== items)
    return `The model's map is not that of ${items} items`;
  if (arrays.mapScale.length !== rows || mapFeature.length !== arrays.mapValue.length)
    return `The model's map is not that of ${rows} rows`;
  const isCovered =
    covers(itemFeatureOffsets, items, itemFeature.length) && covers(mapOffsets, rows, mapFeature.length);
  if (!isCovered) return "The rows of the model's map do not cover its features";
  const isNamed = (feature: number) => feature < count;
  if (!itemFeature.every(isNamed) || !mapFeature.every(isNamed))
    return `The model's map has ${count} features, and uses others`;
  return arrays.fewEventItems.every((item) => item < items)
    ? undefined
    : `The model's map has an item that is not one of ${items}`;
}

function covers(offsets: Uint32Array, rows: number, length: number): boolean {
  if (offsets.length !== rows + 1 || offsets[0] !== 0 || offsets[rows] !== length) return false;
  return offsets.every((offset, row) => row === 0 || offset >= offsets[row - 1]!);
}
