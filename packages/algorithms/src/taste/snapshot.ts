import { ModelFileError, readContainer, writeContainer } from '../container.ts';
import type { Incidence } from '../g1/matrix.ts';
import type { Interactions } from '../interactions.ts';
import { filterTexts, flawOfTexts, packTexts, type Texts, unpackTexts } from '../texts.ts';
import type { ItemValues } from './item-values.ts';

/** What a training read, as of that moment: analyses of its model answer for it, and not for what came after. */
export interface TasteSnapshot {
  /** By user number, in the order of the ids' bytes. Users have one event here at least. */
  readonly userIds: Texts;
  /** As the training used them; items are the model's. */
  readonly events: Interactions;
  /** By user: the model's tokens of the attributes they had. */
  readonly userAttributes: Incidence;
  /** What the items' records said. */
  readonly values: ItemValues;
  /** k of a usage: how many events the model's prediction counts as. */
  readonly evidence: number;
}

const kind = {
  // "TGS1".
  magic: 0x31534754,
  version: 1,
  arrays: {
    offsets: 'u32',
    item: 'u32',
    value: 'f32',
    type: 'u8',
    attributeOffsets: 'u32',
    attribute: 'u32',
    nameFirst: 'u32',
    valueOffsets: 'u32',
    carrier: 'u32',
    valueEnds: 'u32',
    valueBytes: 'u8',
    nameEnds: 'u32',
    nameBytes: 'u8',
    userIdEnds: 'u32',
    userIdBytes: 'u8',
  },
} as const;

interface Header {
  readonly items: number;
  readonly ordered: boolean;
  /** How many tokens user attributes have. */
  readonly attributes: number;
  readonly evidence: number;
}

/** The file in pieces, to be written as they come. The same snapshot gives the same bytes. */
export function encodeSnapshot(snapshot: TasteSnapshot): Generator<Uint8Array<ArrayBuffer>, void> {
  const { events, userAttributes, values, userIds, evidence } = snapshot;
  // What no reader would take is better refused by the writer.
  refuseFlaws(snapshot);
  const { ends: nameEnds, bytes: nameBytes } = packTexts(values.names);
  const { items, ordered } = events;
  const header: Header = { items, ordered, attributes: userAttributes.columns, evidence };
  return writeContainer(kind, header, {
    ...{ offsets: events.offsets, item: events.item, value: events.value, type: events.type },
    ...{ attributeOffsets: userAttributes.offsets, attribute: userAttributes.column },
    ...{ nameFirst: values.first, valueOffsets: values.offsets, carrier: values.carrier },
    ...{ valueEnds: values.texts.ends, valueBytes: values.texts.bytes },
    ...{ nameEnds, nameBytes },
    ...{ userIdEnds: userIds.ends, userIdBytes: userIds.bytes },
  });
}

/** Reads in place: the arrays are views of `file`. Refuses what it does not know whole. */
export function decodeSnapshot(file: Uint8Array): TasteSnapshot {
  const { header, arrays } = readContainer(kind, file);
  if (!isHeader(header)) throw new ModelFileError('The snapshot has another header');
  const { items, ordered, attributes, evidence } = header;
  const { offsets, item, type, value, attributeOffsets, attribute } = arrays;
  const users = offsets.length - 1;
  const snapshot = {
    userIds: { ends: arrays.userIdEnds, bytes: arrays.userIdBytes },
    events: { users, items, offsets, item, type, value, ordered },
    userAttributes: { rows: users, columns: attributes, offsets: attributeOffsets, column: attribute },
    values: {
      names: unpackTexts({ ends: arrays.nameEnds, bytes: arrays.nameBytes }),
      first: arrays.nameFirst,
      texts: { ends: arrays.valueEnds, bytes: arrays.valueBytes },
      offsets: arrays.valueOffsets,
      carrier: arrays.carrier,
    },
    evidence,
  };
  refuseFlaws(snapshot);
  return snapshot;
}

/** The fields that nothing can be told without; what is in them is as it was written, or the checksum fails. */
function isHeader(header: unknown): header is Header {
  const { items, ordered, attributes, evidence } = { ...(header as Partial<Header>) };
  return (
    [items, attributes].every(Number.isSafeInteger) &&
    typeof ordered === 'boolean' &&
    Number.isFinite(evidence)
  );
}

/** Throws where parts contradict each other, so that a reader would read beside an array. */
function refuseFlaws({ userIds, events, userAttributes, values, evidence }: TasteSnapshot): void {
  const { users, items, offsets, item, type, value } = events;
  const numbers = values.texts.ends.length;
  const flaw =
    flawOfTexts(userIds) ??
    flawOfTexts(values.texts) ??
    flawOfRows('events', offsets, users, item.length) ??
    flawOfRows('attributes', userAttributes.offsets, users, userAttributes.column.length) ??
    flawOfRows('names', values.first, values.names.length, numbers) ??
    flawOfRows('values', values.offsets, numbers, values.carrier.length) ??
    flawOfNumbers('item', item, items) ??
    flawOfNumbers('item', values.carrier, items) ??
    flawOfNumbers('attribute value', userAttributes.column, userAttributes.columns);
  if (flaw) throw new ModelFileError(flaw);
  if (userIds.ends.length !== users)
    throw new ModelFileError(`The snapshot has ${userIds.ends.length} ids for ${users} users`);
  if (type.length !== item.length || value.length !== item.length)
    throw new ModelFileError("The snapshot's events are not all of one length");
  if (!(evidence >= 0)) throw new ModelFileError(`The snapshot counts its prediction as ${evidence} events`);
}

function flawOfRows(what: string, offsets: Uint32Array, rows: number, cells: number): string | undefined {
  if (offsets.length !== rows + 1 || offsets[0] !== 0 || offsets[rows] !== cells)
    return `The snapshot's ${what} are not those of ${rows} rows`;
  for (let row = 0; row < rows; row++)
    if (offsets[row + 1]! < offsets[row]!)
      return `Row ${row} of the snapshot's ${what} ends before it begins`;
  return undefined;
}

function flawOfNumbers(what: string, numbers: Uint32Array, end: number): string | undefined {
  for (let place = 0; place < numbers.length; place++)
    if (numbers[place]! >= end) return `The snapshot names ${what} ${numbers[place]!} of ${end}`;
  return undefined;
}

/**
 * Of all users a training read, those with an event that it used, and what was read of them. The others had events of types
 * that are not used, and nothing can be said of them that a model knows.
 */
export function keepActiveUsers(
  userIds: Texts,
  events: Interactions,
  userAttributes: Incidence | undefined,
): Pick<TasteSnapshot, 'userIds' | 'events' | 'userAttributes'> {
  const isActive = (user: number) => events.offsets[user + 1]! > events.offsets[user]!;
  const none = {
    rows: events.users,
    columns: 0,
    offsets: new Uint32Array(events.users + 1),
    column: new Uint32Array(),
  };
  const attributes = userAttributes ?? none;
  let users = 0;
  for (let user = 0; user < events.users; user++) if (isActive(user)) users++;
  if (users === events.users) return { userIds, events, userAttributes: attributes };
  const offsets = new Uint32Array(users + 1);
  const tokens = new Uint32Array(users + 1);
  const column = new Uint32Array(attributes.column.length);
  for (let user = 0, place = 0; user < events.users; user++) {
    if (!isActive(user)) continue;
    const cells = attributes.column.subarray(attributes.offsets[user], attributes.offsets[user + 1]);
    column.set(cells, tokens[place]);
    tokens[place + 1] = tokens[place]! + cells.length;
    offsets[++place] = events.offsets[user + 1]!;
  }
  return {
    userIds: filterTexts(userIds, isActive),
    events: { ...events, users, offsets },
    userAttributes: {
      ...{ rows: users, columns: attributes.columns, offsets: tokens },
      column: column.subarray(0, tokens[users]),
    },
  };
}
