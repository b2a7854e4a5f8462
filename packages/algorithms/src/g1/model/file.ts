import {
  type ArraysOf,
  ModelFileError,
  type ReadOptions,
  readContainer,
  writeContainer,
} from '../../container.ts';
import { countTokens } from '../../data/attributes.ts';
import type { Catalogue } from '../../data/catalogue.ts';
import { packTexts, type Texts, unpackTexts } from '../../data/texts.ts';
import type { EventWeights } from '../data/event-weights.ts';
import { mapArrays, mapFlaw, readMap, storeMap } from '../items/stored-map.ts';
import type { G1Model } from './model.ts';
import { pairArrays, pairsFlaw, readPairs, storePairs } from './stored-pairs.ts';

/** The arrays that version 3 added. */
const addedArrays = {
  factor: 'i8',
  factorSource: 'f32',
  factorTarget: 'f32',
  ...mapArrays,
  ...pairArrays,
} as const;

export const kind = {
  // "TGG1".
  magic: 0x31474754,
  version: 3,
  oldest: 2,
  arrays: {
    offsets: 'u32',
    target: 'u32',
    rowScale: 'f32',
    popularity: 'f32',
    value: 'i8',
    itemIdEnds: 'u32',
    itemIdBytes: 'u8',
    ...addedArrays,
  },
  since: Object.fromEntries(Object.keys(addedArrays).map((name) => [name, 3])),
} as const;

interface Header
  extends Pick<G1Model, 'parameters' | 'items' | 'attributes'>,
    Omit<Catalogue, 'itemIds' | 'itemCodes'> {
  /** Absent from files of releases that read an item's attributes only in trainings. */
  readonly itemCodes?: Catalogue['itemCodes'];
  /** By type, the weight of an event of value 1 for users with many target events. */
  readonly eventScale: readonly number[];
  /** Absent from files of releases in which events counted the same for all users. */
  readonly weights?: EventWeights;
}

/** The file in chunks, to be written as they are produced. The same model gives the same bytes. */
export function encodeModel(model: G1Model, catalogue: Catalogue): Generator<Uint8Array<ArrayBuffer>, void> {
  const { parameters, items, attributes, weights, lowRank, map, pairs, ...stored } = model;
  const { itemIds, eventTypes, targetEventType, userCodes, itemCodes } = catalogue;
  const header: Header = {
    parameters,
    items,
    attributes,
    // For releases that read nothing else.
    eventScale: weights.active.scale,
    weights,
    eventTypes,
    targetEventType,
    userCodes,
    itemCodes,
  };
  const { ends, bytes } = packTexts(itemIds);
  const arrays = {
    ...stored,
    itemIdEnds: ends,
    itemIdBytes: bytes,
    factor: lowRank.factor,
    factorSource: lowRank.source,
    factorTarget: lowRank.target,
    ...storeMap(map),
    ...storePairs(pairs),
  };
  // Refuse to write a file that no reader would accept.
  const flaw = flawOf(header, arrays);
  if (flaw) throw new ModelFileError(flaw);
  return writeContainer(kind, header, arrays);
}

/** Reads in place: the model's arrays are views of `file`. Refuses a file that is not entirely valid. */
export function decodeModel(
  file: Uint8Array,
  options?: ReadOptions,
): { model: G1Model; catalogue: Catalogue } {
  const { model, names, itemIds } = decodePackedModel(file, options);
  return { model, catalogue: { itemIds: unpackTexts(itemIds), ...names } };
}

/** The same, for a caller that unpacks the item IDs step by step. */
export function decodePackedModel(
  file: Uint8Array,
  options?: ReadOptions,
): { model: G1Model; names: Omit<Catalogue, 'itemIds'>; itemIds: Texts } {
  const { header, arrays } = readContainer(kind, file, options);
  if (!isHeader(header)) throw new ModelFileError('The model has another header');
  const flaw = options?.isChecked ? undefined : flawOf(header, arrays);
  if (flaw) throw new ModelFileError(flaw);
  const { eventTypes, targetEventType, userCodes, itemCodes = [], parameters, items, attributes } = header;
  const { itemIdEnds, itemIdBytes, factor, factorSource, factorTarget } = arrays;
  const { offsets, target, rowScale, popularity, value } = arrays;
  const lowRank = {
    rank: factor.length / Math.max(1, items),
    factor,
    source: factorSource,
    target: factorTarget,
  };
  const stored = { offsets, target, rowScale, popularity, value, lowRank };
  const map = readMap(arrays, items);
  const pairs = readPairs(arrays);
  return {
    model: {
      parameters,
      items,
      attributes,
      weights: weightsOf(header),
      ...stored,
      ...(map && { map }),
      ...(pairs && { pairs }),
    },
    names: { eventTypes, targetEventType, userCodes, itemCodes },
    itemIds: { ends: itemIdEnds, bytes: itemIdBytes },
  };
}

function weightsOf({ weights, eventScale, parameters }: Header): EventWeights {
  if (weights) return weights;
  const { hint = 0 } = parameters as { readonly hint?: number };
  const same = { scale: eventScale, hint, hintScale: eventScale };
  return { active: same, visitor: same, fade: 0 };
}

/** Checks the fields that scoring needs. Their contents are as `encodeModel` wrote them, or the checksum fails. */
function isHeader(header: unknown): header is Header {
  const { parameters, items, attributes, ...lists } = { ...(header as Partial<Header>) };
  return (
    typeof parameters === 'object' &&
    Number.isSafeInteger(items) &&
    Number.isSafeInteger(attributes) &&
    [lists.eventScale, lists.eventTypes, lists.userCodes].every((list) => Array.isArray(list))
  );
}

type Arrays = ArraysOf<(typeof kind)['arrays']>;

/** Describes the first contradiction between parts of a model that would make scoring read out of bounds. */
function flawOf({ items, attributes, eventScale, ...names }: Header, arrays: Arrays): string | undefined {
  const { offsets, target, rowScale, popularity, value, itemIdEnds } = arrays;
  const others = items + 2 * attributes + 1;
  const rows = others + arrays.pairEarlier.length;
  if (offsets.length !== rows + 1 || rowScale.length !== rows || popularity.length !== items)
    return `The model's arrays are not those of ${items} items and ${attributes} attribute values`;
  const { factor, factorSource, factorTarget } = arrays;
  const rank = factor.length / Math.max(1, items);
  const factored = factor.length > 0 ? items : 0;
  if (!Number.isInteger(rank) || factorSource.length !== factored || factorTarget.length !== factored)
    return `The model's factors are not those of ${items} items`;
  const flaw = mapFlaw(arrays, items, others) ?? pairsFlaw(arrays, items);
  if (flaw) return flaw;
  if (itemIdEnds.length !== items) return `The model has ${itemIdEnds.length} ids for ${items} items`;
  if (names.eventTypes.length < eventScale.length || names.eventTypes[0] !== names.targetEventType)
    return 'The model has event types without a name, or its target is not the first';
  if (countTokens(names.userCodes) !== attributes)
    return `The model has ${attributes} attribute values, and codes for ${countTokens(names.userCodes)}`;
  if (target.length !== value.length || offsets[0] !== 0 || offsets[rows] !== target.length)
    return "The model's rows do not cover its values";
  for (let row = 0; row < rows; row++)
    if (offsets[row + 1]! < offsets[row]!) return `Row ${row} of the model ends before it begins`;
  for (let place = 0; place < target.length; place++)
    if (target[place]! >= items) return `The model recommends item ${target[place]!} of ${items}`;
  return undefined;
}
