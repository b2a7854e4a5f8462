import type { DataSize } from '@tastegraph/algorithms';
import { limits } from '@tastegraph/contract';
import { type DatasetRow, partitionTable } from '../../datasets/rows/datasets.ts';
import { countPages } from '../../datasets/rows/record-reads.ts';
import { type Queryable, StatementTimeout } from '../../kernel/postgres/pool.ts';
import {
  type AttributeValuesRow,
  countItems,
  countUsers,
  drawUsers,
  type EventTypesRow,
  findTimeRange,
  hasEventOfType,
  type ItemsRow,
  listAttributeValues,
  listEventTypes,
  type TimeRange,
} from '../rows/survey.ts';

/** Limits on what a survey reads, so that it takes seconds at any size. */
export interface SurveyBounds {
  /** Datasets with at most this many events are counted exactly. */
  readonly exactEvents: number;
  /** Events in a sample, and pages of the partition read for it. The pages also have events of other datasets. */
  readonly sampleEvents: number;
  readonly samplePages: number;
  /** Users whose events are counted, and the maximum counted per user. */
  readonly drawnUsers: number;
  readonly eventsPerUser: number;
  /** If the sample has no target event, datasets with at most this many events are searched for one. */
  readonly searchedEvents: number;
  /** A catalogue with at most this many records is read to find out which items have one. Of a larger one, the items are looked up. */
  readonly joinedItems: number;
  /** User records, and item records, whose attributes are checked. */
  readonly attributeRecords: number;
}

export interface Datasets {
  readonly user: DatasetRow;
  readonly item: DatasetRow;
  readonly event: DatasetRow;
}

/** A part of a survey that is skipped if it takes too long. */
type SurveyPart = 'events' | 'times' | 'item_attributes' | 'user_attributes';

export interface Survey extends EventSurvey, TimeRange {
  /** Parts that took too long even on a small sample. Their fields are empty or zero. */
  readonly notChecked: readonly SurveyPart[];
  readonly targetType: string;
  readonly userRecords: number;
  readonly itemRecords: number;
  /** Attributes of the checked records, except those declared NUMERICAL or TEXT. */
  readonly attributes: readonly ({ kind: 'user' | 'item' } & AttributeValuesRow)[];
}

interface EventSurvey {
  /** Whether the numbers about events are estimates. `events` is always exact. */
  readonly sampled: boolean;
  readonly events: number;
  /** Events that were read. */
  readonly eventsSeen: number;
  readonly targetEvents: number;
  readonly targetUsers: number;
  readonly targetItems: number;
  /** Whether zero target events is certain, not just what a sample shows. */
  readonly isTargetCertain: boolean;
  readonly users: number;
  readonly usersWithOneEvent: number;
  readonly items: number;
  readonly itemsWithoutRecord: number;
  /** The most frequent types. `types` is the number of all types. */
  readonly eventTypes: readonly { event_type: string; count: number; is_target: boolean }[];
  readonly types: number;
}

/** If the events were not counted, the records tell how many users and items they may have. */
export function sizeOf(
  survey: Pick<Survey, 'events' | 'users' | 'userRecords' | 'items' | 'itemRecords' | 'notChecked'>,
): DataSize {
  const { events, notChecked } = survey;
  return notChecked.includes('events')
    ? { events, users: survey.userRecords, items: survey.itemRecords }
    : { events, users: survey.users, items: survey.items };
}

/** When the first attempt takes too long, the next one reads this many times less. */
const retryDivisor = 20;

/**
 * Surveys the datasets: exactly, or from a sample of the events. `openLimitedDb` returns a connection with the time limit of one
 * attempt. An attempt that times out is repeated with less data; if that times out as well, the part is skipped.
 */
export async function surveyData(
  openLimitedDb: () => Queryable,
  datasets: Datasets,
  targetType: string,
  bounds: SurveyBounds,
): Promise<Survey> {
  const notChecked: SurveyPart[] = [];
  const firstCompleted = async <T>(
    part: SurveyPart,
    attempts: readonly ((db: Queryable) => Promise<T>)[],
    otherwise: T,
  ): Promise<T> => {
    for (const attempt of attempts) {
      const result = await undefinedOnTimeout(attempt(openLimitedDb()));
      if (result !== undefined) return result;
    }
    notChecked.push(part);
    return otherwise;
  };

  const { event, item, user } = datasets;
  const smaller = {
    ...bounds,
    sampleEvents: Math.ceil(bounds.sampleEvents / retryDivisor),
    samplePages: Math.ceil(bounds.samplePages / retryDivisor),
    drawnUsers: Math.ceil(bounds.drawnUsers / retryDivisor),
    // No search for target events: if so small a sample has none, it stays unknown whether there are any.
    searchedEvents: 0,
  };
  const sampleAttempts = [bounds, smaller].map(
    (within) => async (db: Queryable) => surveySample(db, datasets, targetType, within),
  );
  const exactAttempt = async (db: Queryable) => surveyAll(db, datasets, targetType, bounds);
  const eventAttempts = event.record_count > bounds.exactEvents ? [] : [exactAttempt];
  const noTimes: TimeRange = { first_ts: null, last_ts: null, future_events: 0 };
  const attributesOf = (dataset: DatasetRow, kind: 'user' | 'item') =>
    [bounds.attributeRecords, Math.ceil(bounds.attributeRecords / retryDivisor)].map(
      (records) => async (db: Queryable) => surveyAttributes(db, dataset, kind, records),
    );
  return {
    ...(await firstCompleted(
      'events',
      [...eventAttempts, ...sampleAttempts],
      uncheckedEvents(event.record_count),
    )),
    ...(await firstCompleted('times', [async (db) => findTimeRange(db, event)], noTimes)),
    targetType,
    userRecords: user.record_count,
    itemRecords: item.record_count,
    attributes: [
      ...(await firstCompleted('item_attributes', attributesOf(item, 'item'), [])),
      ...(await firstCompleted('user_attributes', attributesOf(user, 'user'), [])),
    ],
    notChecked,
  };
}

async function undefinedOnTimeout<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StatementTimeout) return undefined;
    throw error;
  }
}

function uncheckedEvents(events: number): EventSurvey {
  return {
    sampled: true,
    events,
    eventsSeen: 0,
    targetEvents: 0,
    targetUsers: 0,
    targetItems: 0,
    isTargetCertain: false,
    users: 0,
    usersWithOneEvent: 0,
    items: 0,
    itemsWithoutRecord: 0,
    types: 0,
    eventTypes: [],
  };
}

async function surveyAll(
  db: Queryable,
  { event, item }: Datasets,
  targetType: string,
  { joinedItems }: SurveyBounds,
): Promise<EventSurvey> {
  const source = { dataset: event };
  const types = await listEventTypes(db, source, targetType, limits.checkedEventTypes);
  const users = await countUsers(db, source, targetType);
  const items = byRecord(await countItems(db, source, item, targetType, item.record_count <= joinedItems));
  const events = types[0]?.events ?? 0;
  return {
    sampled: false,
    events,
    eventsSeen: events,
    targetEvents: types[0]?.target_events ?? 0,
    targetUsers: users.target_users,
    targetItems: items.recorded.target_items + items.unrecorded.target_items,
    isTargetCertain: true,
    users: users.users,
    usersWithOneEvent: users.users_once,
    items: items.recorded.items + items.unrecorded.items,
    itemsWithoutRecord: items.unrecorded.items,
    ...scaledTypes(types, targetType, 1),
  };
}

async function surveySample(
  db: Queryable,
  { event, item }: Datasets,
  targetType: string,
  bounds: SurveyBounds,
): Promise<EventSurvey> {
  const events = event.record_count;
  const pages = await countPages(db, partitionTable(event));
  const share = Math.min(1, bounds.sampleEvents / events, bounds.samplePages / pages);
  const source = { dataset: event, percent: 100 * share };
  const types = await listEventTypes(db, source, targetType, limits.checkedEventTypes);
  const { events: seen, target_events: targetSeen } = types[0] ?? { events: 0, target_events: 0 };
  const scale = events / Math.max(1, seen);
  const isSearched = events <= bounds.searchedEvents;
  const targetFound = targetSeen > 0 || (isSearched && (await hasEventOfType(db, event, targetType)));
  // At least one if the search found one outside the sample.
  const targetEvents = Math.max(Math.round(targetSeen * scale), targetFound ? 1 : 0);

  const users = await countUsers(db, source, targetType);
  const drawn = await drawUsers(db, source, bounds.drawnUsers / Math.max(1, seen), bounds.eventsPerUser);
  const eventsPerDraw = events / Math.max(1, drawn.drawn);
  // Each drawn event stands for 1 / (its user's events) of a user, which is unknown for users with more events than are
  // counted. If most draws are of such users, the sample has several events of each, so their number can be estimated.
  const allUsers =
    drawn.heavy > drawn.drawn / 2
      ? estimateDistinct(events, seen, users.users, users.users_once)
      : Math.max(users.users, drawn.inverse * eventsPerDraw);

  const { recorded, unrecorded } = byRecord(
    await countItems(db, source, item, targetType, item.record_count <= bounds.joinedItems),
  );
  const itemsOf = (row: ItemsRow) =>
    Math.round(estimateDistinct(row.events * scale, row.events, row.items, row.items_once));
  const withRecord = Math.min(itemsOf(recorded), Math.max(item.record_count, recorded.items));
  return {
    sampled: true,
    events,
    eventsSeen: seen,
    targetEvents,
    targetUsers: Math.round(
      estimateDistinct(targetEvents, targetSeen, users.target_users, users.target_users_once),
    ),
    targetItems: recorded.target_items + unrecorded.target_items,
    isTargetCertain: targetFound || isSearched,
    users: Math.round(allUsers),
    usersWithOneEvent: Math.round(Math.min(allUsers, drawn.single * eventsPerDraw)),
    items: withRecord + itemsOf(unrecorded),
    itemsWithoutRecord: itemsOf(unrecorded),
    ...scaledTypes(types, targetType, scale),
  };
}

/**
 * Estimates the number of distinct values from a sample with `distinct` values, of which `once` occur once: the estimator
 * of Haas and Stokes (1998), as in PostgreSQL's ANALYZE. It underestimates if few values make up most of the events.
 */
function estimateDistinct(all: number, sampled: number, distinct: number, once: number): number {
  if (sampled === 0) return 0;
  return (sampled * distinct) / (sampled - once + (once * sampled) / Math.max(sampled, all));
}

function byRecord(rows: readonly ItemsRow[]): { recorded: ItemsRow; unrecorded: ItemsRow } {
  const of = (has_record: boolean): ItemsRow =>
    rows.find((row) => row.has_record === has_record) ?? {
      has_record,
      items: 0,
      items_once: 0,
      target_items: 0,
      events: 0,
    };
  return { recorded: of(true), unrecorded: of(false) };
}

function scaledTypes(rows: readonly EventTypesRow[], targetType: string, scale: number) {
  return {
    types: rows[0]?.types ?? 0,
    eventTypes: rows.map(({ event_type, count }) => ({
      event_type,
      count: Math.round(count * scale),
      is_target: event_type === targetType,
    })),
  };
}

async function surveyAttributes(
  db: Queryable,
  dataset: DatasetRow,
  kind: 'user' | 'item',
  records: number,
): Promise<Survey['attributes']> {
  const rows = await listAttributeValues(db, dataset, records);
  return rows
    .filter(({ name }) => (dataset.attribute_schema?.[name] ?? 'CATEGORICAL') === 'CATEGORICAL')
    .map((row) => ({ kind, ...row }));
}
