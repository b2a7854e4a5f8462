import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AttributeRecord, decodeModel, encoder, G1Scorer, type User } from '@tastegraph/algorithms';
import { eventFields, type KnownUser } from '../storage/postgres/serving-reads.ts';
import { checkModel } from './check-model.ts';

/** A model in memory, ready to score: never changed, only replaced. */
export interface Snapshot {
  readonly modelKey: number;
  readonly scorer: G1Scorer;
  /** By item number. */
  readonly itemIds: readonly string[];
  readonly itemNumbers: ReadonlyMap<string, number>;
  /** Attribute values of users by their token, for reasons. */
  readonly attributeNames: readonly string[];
  userOf(known: KnownUser): User;
  /** Memory it takes, about. */
  readonly bytes: number;
}

/** An id in a Map (its characters, two headers, a slot), and what the scorer keeps beside the file. */
const bytesAnItem = 100;

/** Ids that are numbered in one turn: some milliseconds. */
const idsATurn = 20_000;

/** Calls go on meanwhile: what takes long is done in a thread, or in turns. */
export async function openSnapshot(modelKey: number, file: Uint8Array<SharedArrayBuffer>): Promise<Snapshot> {
  const popular = await checkModel(file);
  const { model, catalogue } = decodeModel(file, { isChecked: true });
  const { itemIds, eventTypes, userCodes } = catalogue;
  const itemNumbers = new Map<string, number>();
  for (const [number, id] of itemIds.entries()) {
    itemNumbers.set(id, number);
    if (number % idsATurn === idsATurn - 1) await nextTurn();
  }
  const typeNumbers = new Map(eventTypes.map((type, number) => [type, number]));
  const encode = encoder(userCodes);
  return {
    modelKey,
    scorer: new G1Scorer(model, popular),
    itemIds,
    itemNumbers,
    attributeNames: userCodes.flatMap((code) =>
      code.kind === 'CATEGORICAL'
        ? code.values.map((value) => `${code.name}=${value}`)
        : Array.from(
            { length: code.edges.length + 1 },
            (_, bin) => `${code.name}=${binName(code.edges, bin)}`,
          ),
    ),
    userOf: ({ attributes, events }) => ({
      events: readEvents(events, itemNumbers, typeNumbers),
      attributes: attributes ? encode(attributes as AttributeRecord) : [],
    }),
    bytes: file.byteLength + itemIds.length * bytesAnItem,
  };
}

/** `under 5`, `5 to 9`, `from 9`. */
function binName(edges: readonly number[], bin: number): string {
  const from = edges[bin - 1];
  const to = edges[bin];
  if (from === undefined) return to === undefined ? 'any' : `under ${to}`;
  return to === undefined ? `from ${from}` : `${from} to ${to}`;
}

/** What a number of 32 bits holds at most: beyond it lies infinity, which no score survives. */
const mostValue = 3.4e38;

/** Oldest first, as the model reads them; items and types that came after the training say nothing to it. */
function readEvents(
  fields: KnownUser['events'],
  itemNumbers: ReadonlyMap<string, number>,
  typeNumbers: ReadonlyMap<string, number>,
): User['events'] {
  const item: number[] = [];
  const type: number[] = [];
  const value: number[] = [];
  for (let field = fields.length - eventFields; field >= 0; field -= eventFields) {
    const itemNumber = itemNumbers.get(fields[field] ?? '');
    const typeNumber = typeNumbers.get(fields[field + 1] ?? '');
    if (itemNumber === undefined || typeNumber === undefined) continue;
    item.push(itemNumber);
    type.push(typeNumber);
    value.push(Math.min(Number(fields[field + 2]), mostValue));
  }
  return { item: Uint32Array.from(item), type: Uint8Array.from(type), value: Float32Array.from(value) };
}
