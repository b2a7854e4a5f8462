import {
  type AttributeCode,
  countTokens,
  type DataNeeds,
  type Incidence,
  IncidenceBuilder,
  ItemValuesBuilder,
  knownUsers,
  largestWeight,
  longestHistory,
  TextsBuilder,
} from '@tastegraph/algorithms';
import { vectorLength } from '@tastegraph/contract/limits';
import type pg from 'pg';
import { latestTs } from '../datasets/event-times.ts';
import { textField } from '../kernel/postgres/copy-rows.ts';
import { ItemNumbers, Progress } from './event-collector.ts';
import { EventTypes } from './event-types.ts';
import { checkEnough } from './judge.ts';
import { AttributeReader, fieldEncoder, parseAttributes } from './learn-attributes.ts';
import { type Readers, readEvents } from './read-events.ts';
import { beginSnapshot, copyEntities, listRecordCounts, type TrainingSource } from './rows/training-rows.ts';
import type { TrainingInput } from './training-input.ts';

interface ReadOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (fraction: number) => void;
  /** Event types that the parameters name: kept in preference to more frequent ones. */
  readonly namedEventTypes?: readonly string[];
  /** Events after this time are not read; by default, those that are too far in the future. */
  readonly untilTs?: number | undefined;
  /** Absent: one connection reads everything. */
  readonly readers?: Readers | undefined;
  /** What the algorithm needs of the data. */
  readonly needs: DataNeeds;
}

/**
 * Reads all data of a training in one snapshot, into arrays: about 11 bytes per event, the IDs of users (with
 * events or a record) and items, a few bytes per user, and the items' attribute values. Several readers hold the events twice while their parts are joined. Uses its own connection, and closes it on failure or abort,
 * since a COPY may be in progress. Throws a JobError if there is too little to learn from, and the signal's reason when
 * aborted.
 */
export async function readTrainingData(
  client: pg.Client,
  source: TrainingSource,
  options: ReadOptions,
): Promise<TrainingInput> {
  const { signal } = options;
  signal.throwIfAborted();
  const close = () => void client.end().catch(() => undefined);
  // A broken connection rejects its statement and also emits 'error': without a listener, that would end the process.
  const onBreak = () => undefined;
  client.on('error', onBreak);
  signal.addEventListener('abort', close);
  try {
    await beginSnapshot(client);
    const input = await readSnapshot(client, source, options);
    client.off('error', onBreak);
    return input;
  } catch (error) {
    // Keep the listener: the connection may still emit an error.
    close();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', close);
  }
}

/** Ends the snapshot when it has read everything: what follows takes minutes for large data. */
async function readSnapshot(
  client: pg.Client,
  source: TrainingSource,
  { signal, onProgress, readers, needs, untilTs, namedEventTypes = [] }: ReadOptions,
): Promise<TrainingInput> {
  const { users, items, events } = source;
  const nowTs = Date.now();
  const [userCount = 0, itemCount = 0, eventCount = 0] = await listRecordCounts(client, [
    users,
    items,
    events,
  ]);
  const progress = new Progress(2 * userCount + 2 * itemCount + eventCount, onProgress);

  const numbers = new ItemNumbers();
  const itemLearner = new AttributeReader('item', items.attribute_schema);
  const schema = Object.entries(items.attribute_schema ?? {});
  const isVector = ([, kind]: (typeof schema)[number]) => vectorLength(kind) !== undefined;
  const itemValues = new ItemValuesBuilder(
    schema.map(([name]) => name),
    new Set(schema.filter(isVector).map(([name]) => name)),
  );
  await copyEntities(client, 'item', items, (row) => {
    progress.step();
    numbers.of(textField(row, 0));
    const record = parseAttributes(textField(row, 1));
    itemLearner.add(record);
    itemValues.add(record);
  });
  const itemRecords = numbers.ids.length;
  const itemAttributes = itemLearner.finish();
  const itemRows = await encodeRecords(client, 'item', items, itemCount, itemAttributes.codes, progress);

  const userLearner = new AttributeReader('user', users.attribute_schema);
  const recordIds = new TextsBuilder();
  await copyEntities(client, 'user', users, (row) => {
    progress.step();
    recordIds.pushBytes(textField(row, 0));
    userLearner.add(parseAttributes(textField(row, 1)));
  });
  const userAttributes = userLearner.finish();
  const recordRows = await encodeRecords(client, 'user', users, userCount, userAttributes.codes, progress);

  const namedTypes = [...source.negative_event_types, ...namedEventTypes];
  const types = new EventTypes(source.target_event_type, namedTypes);
  const read = await readEvents(client, source, {
    eventCount,
    numbers,
    types,
    namedTypes,
    codes: userAttributes.codes,
    hasTimes: needs.eventTimes,
    times: { nowTs, untilTs: untilTs ?? latestTs(nowTs) },
    progress,
    readers,
    signal,
  });
  const { counts } = read;
  const chosen = types.choose();
  const {
    events: used,
    cut,
    lowered,
    usedItems,
  } = read.columns.finish(chosen.renumber, itemRecords, counts.ordered);
  checkEnough(used, types, source, needs);
  while (itemRows && itemRows.rows < used.items) itemRows.push([]);

  const userTokens = buildTokens(read.userRows, userAttributes.codes);
  return {
    data: {
      events: used,
      ...negativeTypesOf(chosen.names, source),
      userAttributes: userTokens,
      itemAttributes: buildTokens(itemRows, itemAttributes.codes),
      itemColumns: columnsOf(itemAttributes.codes),
    },
    // Items with a record come first, so they keep their numbers when items without events are dropped.
    snapshot: {
      ...knownUsers(
        { userIds: read.userIds, events: used, userAttributes: userTokens },
        {
          userIds: recordIds.build(),
          userAttributes: buildTokens(recordRows, userAttributes.codes),
        },
      ),
      values: itemValues.build(),
    },
    itemIds: Array.from(usedItems, (item) => numbers.ids[item] ?? ''),
    eventTypes: chosen.names,
    userCodes: userAttributes.codes,
    itemCodes: itemAttributes.codes,
    counts: {
      events: counts.events,
      newestEventTs: counts.newestTs,
      targetEvents: types.targetCount,
      users: used.users,
      usersWithRecord: counts.usersWithRecord,
      items: used.items,
      itemsWithoutRecord: used.items - itemRecords,
    },
    leftOut: [
      ...chosen.leftOut,
      ...leftOutOfEvents(cut, lowered),
      ...userAttributes.leftOut,
      ...itemAttributes.leftOut,
      {
        what: 'values of other item attributes (only in queries)',
        count: itemValues.ignoredValues,
        why: 'there are too many attributes: queries can use those listed in attribute_schema and the first of the others',
      },
    ].filter(({ count }) => count > 0),
  };
}

function leftOutOfEvents(cut: number, lowered: number) {
  return [
    {
      what: 'old events',
      count: cut,
      why: `only the newest ${longestHistory} events of each user are used`,
    },
    {
      what: 'very large event values',
      count: lowered,
      why: `an event_value above ${largestWeight} times the median of its event type is lowered to that`,
    },
  ];
}

/** Numbers of the negative types that occur; nothing if none does. */
function negativeTypesOf(names: readonly string[], { negative_event_types }: TrainingSource) {
  const negativeTypes = [...names.keys()].filter((type) => negative_event_types.includes(names[type] ?? ''));
  return negativeTypes.length > 0 ? { negativeTypes } : {};
}

/** Undefined if no attribute has a code: then there is nothing to read again. */
async function encodeRecords(
  client: pg.Client,
  kind: 'user' | 'item',
  dataset: TrainingSource['users'],
  count: number,
  codes: readonly AttributeCode[],
  progress: Progress,
): Promise<IncidenceBuilder | undefined> {
  if (codes.length === 0) {
    progress.step(count);
    return undefined;
  }
  const encode = fieldEncoder(codes);
  const rows = new IncidenceBuilder();
  await copyEntities(client, kind, dataset, (row) => {
    progress.step();
    rows.push(encode(textField(row, 1)));
  });
  return rows;
}

function buildTokens(
  rows: IncidenceBuilder | undefined,
  codes: readonly AttributeCode[],
): Incidence | undefined {
  return rows?.build(countTokens(codes));
}

/** The first columns of vectors and words: their codes come last. */
function columnsOf(codes: readonly AttributeCode[]): TrainingInput['data']['itemColumns'] {
  const firstOf = (kind: AttributeCode['kind']) => {
    const first = codes.findIndex((code) => code.kind === kind);
    return first < 0 ? undefined : countTokens(codes.slice(0, first));
  };
  return { vectors: firstOf('VECTOR'), words: firstOf('TEXT') };
}
