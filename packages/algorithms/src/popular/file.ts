import type { PackedModel } from '../algorithm.ts';
import {
  type ArraysOf,
  ModelFileError,
  type ReadOptions,
  readContainer,
  writeContainer,
} from '../container.ts';
import { countTokens } from '../data/attributes.ts';
import type { Catalogue } from '../data/catalogue.ts';
import { packTexts, type Texts } from '../data/texts.ts';
import type { PopularModel } from './model.ts';

export const kind = {
  // "TGP1".
  magic: 0x31504754,
  version: 1,
  arrays: {
    popularity: 'f32',
    offsets: 'u32',
    item: 'u32',
    groupPopularity: 'f32',
    ranked: 'u32',
    itemIdEnds: 'u32',
    itemIdBytes: 'u8',
  },
} as const;

type Header = Pick<PopularModel, 'halfLifeDays' | 'attribute' | 'items' | 'negativeTypes'> &
  // Popularity does not depend on an item's attributes.
  Omit<Catalogue, 'itemIds' | 'itemCodes'>;

export function encode(model: PopularModel, catalogue: Catalogue): Generator<Uint8Array<ArrayBuffer>, void> {
  const { halfLifeDays, attribute, items, negativeTypes, ...arrays } = model;
  const { itemIds, eventTypes, targetEventType, userCodes } = catalogue;
  const parameters = { halfLifeDays, attribute, items, ...(negativeTypes && { negativeTypes }) };
  const header: Header = { ...parameters, eventTypes, targetEventType, userCodes };
  const { ends: itemIdEnds, bytes: itemIdBytes } = packTexts(itemIds);
  const stored = { ...arrays, itemIdEnds, itemIdBytes };
  refuseFlaws(header, stored);
  return writeContainer(kind, header, stored);
}

export function decode(
  file: Uint8Array,
  options?: ReadOptions,
): { model: PopularModel; names: PackedModel['names']; itemIds: Texts } {
  const { header, arrays } = readContainer(kind, file, options);
  if (!isHeader(header)) throw new ModelFileError('The model has another header');
  if (!options?.isChecked) refuseFlaws(header, arrays);
  const { halfLifeDays, attribute, items, negativeTypes, ...names } = header;
  const { itemIdEnds, itemIdBytes, ...stored } = arrays;
  return {
    model: { halfLifeDays, attribute, items, ...(negativeTypes && { negativeTypes }), ...stored },
    names: { ...names, itemCodes: [] },
    itemIds: { ends: itemIdEnds, bytes: itemIdBytes },
  };
}

function isHeader(header: unknown): header is Header {
  const { halfLifeDays, attribute, items, eventTypes, userCodes } = { ...(header as Partial<Header>) };
  return (
    Number.isFinite(halfLifeDays) &&
    (attribute === null || Number.isSafeInteger(attribute?.first)) &&
    Number.isSafeInteger(items) &&
    Array.isArray(eventTypes) &&
    Array.isArray(userCodes)
  );
}

/** Throws if parts of a model contradict each other, which would make scoring read out of bounds. */
function refuseFlaws(
  { items, attribute, userCodes }: Header,
  { popularity, offsets, item, groupPopularity, ranked, itemIdEnds }: ArraysOf<(typeof kind)['arrays']>,
): void {
  const groups = offsets.length - 1;
  if (popularity.length !== items || itemIdEnds.length !== items)
    throw new ModelFileError(`The model's arrays are not those of ${items} items`);
  if (groups < 0 || offsets[0] !== 0 || offsets[groups] !== item.length)
    throw new ModelFileError("The model's groups do not cover its items");
  if (groupPopularity.length !== item.length || ranked.length !== item.length)
    throw new ModelFileError("The model's groups are not all of one length");
  if ((attribute?.first ?? 0) + groups > countTokens(userCodes))
    throw new ModelFileError('The model has groups without an attribute value');
  for (let group = 0; group < groups; group++) {
    const [from, to] = [offsets[group]!, offsets[group + 1]!];
    if (to < from) throw new ModelFileError(`Group ${group} of the model ends before it begins`);
    for (let place = from; place < to; place++)
      if (item[place]! >= items || ranked[place]! < from || ranked[place]! >= to)
        throw new ModelFileError(`Group ${group} of the model names an item that is not there`);
  }
}
