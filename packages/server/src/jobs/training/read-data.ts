import {
  type AttributeCode,
  countTokens,
  type Incidence,
  IncidenceBuilder,
  ItemValuesBuilder,
  keepActiveUsers,
  longestHistory,
} from '@tastegraph/algorithms';
import type pg from 'pg';
import { textField } from '../../storage/postgres/copy-rows.ts';
import {
  beginSnapshot,
  copyEntities,
  endSnapshot,
  listRecordCounts,
} from '../../storage/postgres/training-rows.ts';
import type { TrainingSource } from '../../storage/postgres/training-source.ts';
import { checkEnough } from './check-enough.ts';
import { EventTypes } from './event-types.ts';
import { ItemNumbers } from './item-numbers.ts';
import { AttributeReader, fieldEncoder, parseAttributes } from './learn-attributes.ts';
import { Progress } from './progress.ts';
import { readEvents } from './read-events.ts';
import type { LeftOut, TrainingInput } from './training-input.ts';

export type { TrainingInput } from './training-input.ts';

export interface ReadOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (fraction: number) => void;
  /** Event types that the parameters name: kept before others that are more frequent. */
  readonly namedEventTypes?: readonly string[];
}

/**
 * Reads everything a training may know, as of one moment, into arrays: about 11 bytes an event, the ids of users and items,
 * a few a user, and the items' attribute values. The connection is the reading's own; it is closed when the reading fails or is aborted, for it may be in the
 * middle of a COPY. Throws a JobError when there is too little to learn from, and the signal's reason when aborted.
 */
export async function readTrainingData(
  client: pg.Client,
  source: TrainingSource,
  options: ReadOptions,
): Promise<TrainingInput> {
  const { signal } = options;
  signal.throwIfAborted();
  const close = () => void client.end().catch(() => undefined);
  // A connection that breaks fails its statement, and says so here too: without a listener that would end the process.
  const onBreak = () => undefined;
  client.on('error', onBreak);
  signal.addEventListener('abort', close);
  try {
    await beginSnapshot(client);
    const input = await readSnapshot(client, source, options);
    await endSnapshot(client);
    client.off('error', onBreak);
    return input;
  } catch (error) {
    // The listener stays: the connection may still have to say that it is broken.
    close();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', close);
  }
}

async function readSnapshot(
  client: pg.Client,
  source: TrainingSource,
  { onProgress, namedEventTypes = [] }: ReadOptions,
): Promise<TrainingInput> {
  const { users, items, events } = source;
  const [userCount = 0, itemCount = 0, eventCount = 0] = await listRecordCounts(client, [
    users,
    items,
    events,
  ]);
  const progress = new Progress(userCount + 2 * itemCount + eventCount, onProgress);

  const numbers = new ItemNumbers();
  const itemLearner = new AttributeReader('item', items.attribute_schema);
  const itemValues = new ItemValuesBuilder(Object.keys(source.items.attribute_schema ?? {}));
  await copyEntities(client, 'item', items, (row) => {
    progress.step();
    numbers.of(textField(row, 0));
    const record = parseAttributes(textField(row, 1));
    itemLearner.add(record);
    itemValues.add(record);
  });
  const itemRecords = numbers.ids.length;
  const itemAttributes = itemLearner.finish();
  const itemRows = await encodeItems(client, source, itemCount, itemAttributes.codes, progress);

  const userLearner = new AttributeReader('user', users.attribute_schema);
  await copyEntities(client, 'user', users, (row) => {
    progress.step();
    userLearner.add(parseAttributes(textField(row, 1)));
  });
  const userAttributes = userLearner.finish();

  const types = new EventTypes(source.target_event_type, namedEventTypes);
  const read = await readEvents(client, source, {
    eventCount,
    numbers,
    types,
    codes: userAttributes.codes,
    progress,
  });
  const chosen = types.choose();
  const { events: used, cut, usedItems } = read.columns.finish(chosen.renumber, itemRecords, read.ordered);
  checkEnough(used, types, source);
  while (itemRows && itemRows.rows < used.items) itemRows.push([]);

  const userTokens = built(read.userRows, userAttributes.codes);
  return {
    data: {
      events: used,
      userAttributes: userTokens,
      itemAttributes: built(itemRows, itemAttributes.codes),
    },
    // Items that have a record keep their numbers when those without events are dropped: they come first.
    snapshot: { ...keepActiveUsers(read.userIds, used, userTokens), values: itemValues.build() },
    itemIds: Array.from(usedItems, (item) => numbers.ids[item] ?? ''),
    eventTypes: chosen.names,
    userCodes: userAttributes.codes,
    counts: {
      events: read.events,
      targetEvents: types.targetCount,
      users: used.users,
      usersWithRecord: read.usersWithRecord,
      items: used.items,
      itemsWithoutRecord: used.items - itemRecords,
    },
    leftOut: [
      ...[...chosen.leftOut, ...cutHistories(cut), ...userAttributes.leftOut, ...itemAttributes.leftOut],
      ...unaskedValues(itemValues.passedOver),
    ],
  };
}

/** Undefined when no attribute has a code: there is nothing to read again for. */
async function encodeItems(
  client: pg.Client,
  { items }: TrainingSource,
  itemCount: number,
  codes: readonly AttributeCode[],
  progress: Progress,
): Promise<IncidenceBuilder | undefined> {
  if (codes.length === 0) {
    progress.step(itemCount);
    return undefined;
  }
  const encode = fieldEncoder(codes);
  const rows = new IncidenceBuilder();
  await copyEntities(client, 'item', items, (row) => {
    progress.step();
    rows.push(encode(textField(row, 1)));
  });
  return rows;
}

function built(rows: IncidenceBuilder | undefined, codes: readonly AttributeCode[]): Incidence | undefined {
  return rows?.build(countTokens(codes));
}

function cutHistories(count: number): LeftOut[] {
  if (count === 0) return [];
  return [{ what: 'old events', count, why: `only the newest ${longestHistory} of a user are used` }];
}

function unaskedValues(count: number): LeftOut[] {
  if (count === 0) return [];
  const why =
    'there are too many attributes: queries know those declared in attribute_schema, and the first others';
  return [{ what: 'values of further item attributes, in queries', count, why }];
}
