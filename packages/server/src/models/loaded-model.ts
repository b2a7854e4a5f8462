import { setImmediate as nextTick } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  type AttributeCode,
  type AttributeRecord,
  encoder,
  ModelFileError,
  type PackedModel,
  readModel,
  type Scorer,
  textAt,
  type User,
} from '@tastegraph/algorithms';
import { limits } from '@tastegraph/contract/limits';
import type { CheckedModel } from './check-model-thread.ts';

/** What a model reads of a user. */
export interface UserRecord {
  readonly attributes: Record<string, unknown> | null;
  /** Newest first, flat: item, type and value of each event. */
  readonly events: readonly string[];
}

/** Fields of an event in `UserRecord.events`. */
export const eventFields = 3;

/** A model in memory, ready to score. Immutable: only replaced as a whole. */
export interface LoadedModel {
  /** File and checksum. A row's number could refer to another model after the database was restored; this cannot. */
  readonly modelKey: string;
  readonly scorer: Scorer;
  /** What the algorithm cannot do, and why, as a sentence after "The model ". */
  readonly declines: PackedModel['declines'];
  /** By item number. */
  readonly itemIds: readonly string[];
  readonly itemNumbers: ReadonlyMap<string, number>;
  /** Whether an item had few events in the training, or was added after it (undefined). */
  readonly isNew: (number: number | undefined) => boolean;
  /** The features of an item with these attributes; undefined if the model cannot score items that it does not know. */
  readonly featuresOf: ((attributes: Readonly<Record<string, unknown>>) => Uint32Array) | undefined;
  /** The item attributes that were vectors when the model was trained. Calls cannot compare or return them. */
  readonly vectorNames: ReadonlySet<string>;
  /** What the users who took such an item say about it: see `Scorer.weighHistories`. Undefined if `featuresOf` is. */
  readonly weighHistories: Scorer['weighHistories'];
  /** Attribute values of users by token, for the reasons of a recommendation. */
  readonly attributeNames: readonly string[];
  /** `context` are items that count as the user's newest target events, the newest last. */
  userOf(known: UserRecord, context?: readonly string[]): User;
  /** Approximate memory. */
  readonly bytes: number;
}

/** Memory per ID in a Map: its characters, two headers, a slot. */
const idBytes = 80;

/** IDs unpacked and numbered per event-loop tick: a few milliseconds. */
const idsPerTick = 5000;

/** Smaller files are checked in a few milliseconds, less than a thread takes to start. 3 MB take 15 to 50 ms. */
const smallBytes = 2 ** 18;

/** Validates a file, a large one in a thread: 100 MB take 0.5 s. Returns its items, most popular first, or throws a ModelFileError. */
async function checkModel(file: Uint8Array<SharedArrayBuffer>): Promise<Uint32Array> {
  // Validates and sorts in one pass: sorting by popularity takes as long as reading.
  if (file.byteLength <= smallBytes) return readModel(file).model.popular();
  const thread = new Worker(new URL('./check-model-thread.ts', import.meta.url), { workerData: file });
  const checked = await new Promise<CheckedModel>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the thread that checks a model ended without a result')));
  });
  if ('flaw' in checked) throw new ModelFileError(checked.flaw);
  return checked.popular;
}

/** Does not block calls: long work runs in a thread, or in several event-loop ticks. */
export async function loadModel(modelKey: string, file: Uint8Array<SharedArrayBuffer>): Promise<LoadedModel> {
  const popular = await checkModel(file);
  const { model, declines, names, itemIds: packedIds } = readModel(file, { isChecked: true });
  const { eventTypes, userCodes, itemCodes } = names;
  const itemIds: string[] = [];
  const itemNumbers = new Map<string, number>();
  for (let number = 0; number < model.items; number++) {
    const id = textAt(packedIds, number);
    itemIds.push(id);
    itemNumbers.set(id, number);
    if (number % idsPerTick === idsPerTick - 1) await nextTick();
  }
  const typeNumbers = new Map(eventTypes.map((type, number) => [type, number]));
  const encode = encoder(userCodes);
  const encodeItem = encoder(itemCodes);
  const scorer = model.scorer(popular);
  return {
    modelKey,
    scorer,
    declines,
    itemIds,
    itemNumbers,
    isNew: (number) =>
      number === undefined || (model.eventsOf?.(number) ?? limits.newItemEvents) < limits.newItemEvents,
    featuresOf:
      scorer.featuresOf &&
      ((attributes) => scorer.featuresOf?.(encodeItem(attributes as AttributeRecord)) ?? new Uint32Array(0)),
    weighHistories: scorer.weighHistories,
    vectorNames: new Set(itemCodes.filter(({ kind }) => kind === 'VECTOR').map(({ name }) => name)),
    attributeNames: userCodes.flatMap((code) => tokenNames(code).map((name) => `${code.name}=${name}`)),
    userOf: ({ attributes, events }, context = []) => ({
      events: readEvents(events, itemNumbers, typeNumbers, { context, value: model.targetValue }),
      attributes: attributes ? encode(attributes as AttributeRecord) : [],
    }),
    bytes: file.byteLength + itemIds.length * idBytes + model.scorerBytes,
  };
}

function tokenNames(code: AttributeCode): readonly string[] {
  if (code.kind === 'NUMERICAL')
    return Array.from({ length: code.edges.length + 1 }, (_, bin) => binName(code.edges, bin));
  // Users have no vectors.
  return code.kind === 'VECTOR' ? [] : code.values;
}

/** `under 5`, `5 to 9`, `from 9`. */
function binName(edges: readonly number[], bin: number): string {
  const from = edges[bin - 1];
  const to = edges[bin];
  if (from === undefined) return to === undefined ? 'any' : `under ${to}`;
  return to === undefined ? `from ${from}` : `${from} to ${to}`;
}

/** The largest 32-bit float: beyond is infinity, which would make every score infinite or NaN. */
const maxValue = 3.4e38;

/** The target is the first of a model's event types. */
const targetType = 0;

/** Oldest first, as the model reads them. Skips items and types that were added after training. */
function readEvents(
  fields: UserRecord['events'],
  itemNumbers: ReadonlyMap<string, number>,
  typeNumbers: ReadonlyMap<string, number>,
  { context, value: contextValue }: { context: readonly string[]; value: number },
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
    value.push(Math.min(Number(fields[field + 2]), maxValue));
  }
  for (const id of context) {
    const itemNumber = itemNumbers.get(id);
    if (itemNumber === undefined) continue;
    item.push(itemNumber);
    type.push(targetType);
    value.push(contextValue);
  }
  return { item: Uint32Array.from(item), type: Uint8Array.from(type), value: Float32Array.from(value) };
}
