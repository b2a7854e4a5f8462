import { ModelFileError, placesBytes, readContainer, readPlaces, writeContainer } from '../container.ts';
import { type Incidence, IncidenceBuilder, rowOf } from '../data/incidence.ts';
import type { Interactions } from '../data/interactions.ts';
import { bytesAt, flawOfTexts, packTexts, type Texts, TextsBuilder, unpackTexts } from '../data/texts.ts';
import type { ItemValues } from './item-values.ts';

/** What a training read, as of that moment. Analyses of its model use this data and nothing that came later. */
export interface TasteSnapshot {
  /** By user number, in the byte order of the IDs. Every user here has an event or a record. */
  readonly userIds: Texts;
  /** As the training used them; items are the model's. */
  readonly events: Interactions;
  /** By user: the model's tokens for the attributes at that time. */
  readonly userAttributes: Incidence;
  /** What the items' records said. */
  readonly values: ItemValues;
  /** The prior strength of affinities (k): how many events the model's prediction counts as. */
  readonly priorStrength: number;
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
  /** The number of tokens of user attributes. */
  readonly attributes: number;
  readonly evidence: number;
}

/** The file in chunks, to be written as they are produced. The same snapshot gives the same bytes. */
export function encodeSnapshot(snapshot: TasteSnapshot): Generator<Uint8Array<ArrayBuffer>, void> {
  const { events, userAttributes, values, userIds, priorStrength } = snapshot;
  // Refuse to write a file that no reader would accept.
  refuseFlaws(snapshot);
  const { ends: nameEnds, bytes: nameBytes } = packTexts(values.names);
  const { items, ordered } = events;
  const header: Header = { items, ordered, attributes: userAttributes.columns, evidence: priorStrength };
  return writeContainer(kind, header, {
    offsets: events.offsets,
    item: events.item,
    value: events.value,
    type: events.type,
    attributeOffsets: userAttributes.offsets,
    attribute: userAttributes.column,
    nameFirst: values.first,
    valueOffsets: values.offsets,
    carrier: values.carrier,
    valueEnds: values.texts.ends,
    valueBytes: values.texts.bytes,
    nameEnds,
    nameBytes,
    userIdEnds: userIds.ends,
    userIdBytes: userIds.bytes,
  });
}

/** Reads in place: the arrays are views of `file`. Refuses a file that is not entirely valid. */
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
    priorStrength: evidence,
  };
  refuseFlaws(snapshot);
  return snapshot;
}

/** How many bytes from the start of a snapshot locateUserIds() needs. */
export const snapshotHeadBytes = placesBytes;

/** Where the user IDs are in a snapshot of `size` bytes with this beginning: the end of each (u32), and their bytes. */
export function locateUserIds(beginning: Uint8Array, size: number) {
  const { userIdEnds: ends, userIdBytes: bytes } = readPlaces(kind, beginning, size);
  return { ends, bytes };
}

/** Checks the required fields. Their contents are as they were written, or the checksum fails. */
function isHeader(header: unknown): header is Header {
  const { items, ordered, attributes, evidence } = { ...(header as Partial<Header>) };
  return (
    [items, attributes].every(Number.isSafeInteger) &&
    typeof ordered === 'boolean' &&
    Number.isFinite(evidence)
  );
}

/** Throws if parts contradict each other, which would make a reader read out of bounds. */
function refuseFlaws({ userIds, events, userAttributes, values, priorStrength }: TasteSnapshot): void {
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
  if (!(priorStrength >= 0))
    throw new ModelFileError(`The snapshot counts its prediction as ${priorStrength} events`);
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

/** User IDs in byte order, and their tokens, if any attribute has a code. */
interface UserTokens {
  readonly userIds: Texts;
  readonly userAttributes?: Incidence | undefined;
}

/**
 * The users with an event that the training used, and those with a record: what a model predicts for a user without
 * events follows from the user's attributes. A model knows nothing about the others.
 */
export function knownUsers(
  { userIds, userAttributes, events }: UserTokens & Pick<TasteSnapshot, 'events'>,
  records: UserTokens = { userIds: packTexts([]) },
): Pick<TasteSnapshot, 'userIds' | 'events' | 'userAttributes'> {
  const recordCount = records.userIds.ends.length;
  const ids = new TextsBuilder();
  const tokens = new IncidenceBuilder();
  const offsets = new Uint32Array(events.users + recordCount + 1);
  let users = 0;
  for (let user = 0, record = 0; user < events.users || record < recordCount; ) {
    const order = compareTexts(userIds, user, records.userIds, record);
    const [isUser, isRecord] = [order <= 0, order >= 0];
    const end = isUser ? events.offsets[user + 1]! : offsets[users]!;
    if (isRecord || end > offsets[users]!) {
      const id = isUser ? bytesAt(userIds, user) : bytesAt(records.userIds, record);
      ids.append({ bytes: id, ends: Uint32Array.of(id.length) });
      const [from, row] = isUser ? [userAttributes, user] : [records.userAttributes, record];
      tokens.push(from ? rowOf(from, row) : []);
      offsets[++users] = end;
    }
    user += Number(isUser);
    record += Number(isRecord);
  }
  const { columns } = userAttributes ?? records.userAttributes ?? { columns: 0 };
  return {
    userIds: ids.build(),
    events: { ...events, users, offsets: offsets.slice(0, users + 1) },
    userAttributes: tokens.build(columns),
  };
}

/** The byte order of two texts; the end of a list comes last. */
function compareTexts(one: Texts, at: number, other: Texts, otherAt: number): number {
  const atEnd = Number(at === one.ends.length) - Number(otherAt === other.ends.length);
  if (atEnd !== 0) return atEnd;
  const [a, b] = [bytesAt(one, at), bytesAt(other, otherAt)];
  for (let place = 0; place < a.length && place < b.length; place++)
    if (a[place] !== b[place]) return a[place]! - b[place]!;
  return a.length - b.length;
}
