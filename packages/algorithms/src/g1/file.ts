import { type AttributeCode, countTokens } from '../attributes.ts';
import {
  type ArraysOf,
  checkHead,
  ModelFileError,
  type ReadOptions,
  readContainer,
  writeContainer,
} from '../container.ts';
import { packTexts, unpackTexts } from '../texts.ts';
import type { G1Model } from './model.ts';

export const kind = {
  // "TGG1".
  magic: 0x31474754,
  version: 2,
  arrays: {
    offsets: 'u32',
    target: 'u32',
    rowScale: 'f32',
    popularity: 'f32',
    value: 'i8',
    itemIdEnds: 'u32',
    itemIdBytes: 'u8',
  },
} as const;

/** What the model's numbers stand for, so that a file is all that serving needs. */
export interface Catalogue {
  /** By item number. */
  readonly itemIds: readonly string[];
  /** By event type number: the target first. */
  readonly eventTypes: readonly string[];
  readonly targetEventType: string;
  /** How a user's attributes become the model's attribute tokens. */
  readonly userCodes: readonly AttributeCode[];
}

type Header = Pick<G1Model, 'parameters' | 'items' | 'attributes' | 'eventScale'> &
  Omit<Catalogue, 'itemIds'>;

/** The file in pieces, to be written as they come. The same model gives the same bytes. */
export function encodeModel(model: G1Model, catalogue: Catalogue): Generator<Uint8Array<ArrayBuffer>, void> {
  const { parameters, items, attributes, eventScale, offsets, target, rowScale, popularity, value } = model;
  const { itemIds, eventTypes, targetEventType, userCodes } = catalogue;
  const header: Header = {
    ...{ parameters, items, attributes, eventScale },
    ...{ eventTypes, targetEventType, userCodes },
  };
  const { ends, bytes } = packTexts(itemIds);
  const arrays = { offsets, target, rowScale, popularity, value, itemIdEnds: ends, itemIdBytes: bytes };
  // What no reader would take is better refused by the writer.
  const flaw = flawOf(header, arrays);
  if (flaw) throw new ModelFileError(flaw);
  return writeContainer(kind, header, arrays);
}

/**
 * Throws unless this release reads a file that begins with these bytes (8 or more). For whoever knows by its checksum that the
 * rest is as it was written: it need not be in memory.
 */
export function checkModelHead(beginning: Uint8Array): void {
  checkHead(kind, beginning);
}

/** Reads in place: the model's arrays are views of `file`. Refuses what it does not know whole. */
export function decodeModel(
  file: Uint8Array,
  options?: ReadOptions,
): { model: G1Model; catalogue: Catalogue } {
  const { header, arrays } = readContainer(kind, file, options);
  if (!isHeader(header)) throw new ModelFileError('The model has another header');
  const flaw = options?.isChecked ? undefined : flawOf(header, arrays);
  if (flaw) throw new ModelFileError(flaw);
  const { eventTypes, targetEventType, userCodes, parameters, items, attributes, eventScale } = header;
  const { itemIdEnds, itemIdBytes, ...stored } = arrays;
  const itemIds = unpackTexts({ ends: itemIdEnds, bytes: itemIdBytes });
  return {
    model: { parameters, items, attributes, eventScale, ...stored },
    catalogue: { itemIds, eventTypes, targetEventType, userCodes },
  };
}

/** The fields that scoring cannot do without; what is in them is as `encodeModel` wrote it, or the checksum fails. */
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

/** Where parts of a model contradict each other, so that scoring would read beside an array. */
function flawOf({ items, attributes, eventScale, ...names }: Header, arrays: Arrays): string | undefined {
  const { offsets, target, rowScale, popularity, value, itemIdEnds } = arrays;
  const rows = items + 2 * attributes + 1;
  if (offsets.length !== rows + 1 || rowScale.length !== rows || popularity.length !== items)
    return `The model's arrays are not those of ${items} items and ${attributes} attribute values`;
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
