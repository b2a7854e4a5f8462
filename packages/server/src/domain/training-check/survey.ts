import { limits } from '@tastegraph/contract';
import { type AttributeValuesRow, listAttributeValues } from '../../storage/postgres/attribute-survey.ts';
import type { DatasetRow } from '../../storage/postgres/datasets.ts';
import {
  countEventPages,
  countItems,
  countUsers,
  drawUsers,
  type EventTypesRow,
  findTimes,
  hasEventOfType,
  type ItemsRow,
  listEventTypes,
} from '../../storage/postgres/event-survey.ts';
import type { Queryable } from '../../storage/postgres/pool.ts';

/** How much of the data a survey reads at most, so that it answers in seconds at any size. */
export interface SurveyBounds {
  /** Datasets of up to so many events are counted in full. */
  readonly exactEvents: number;
  /** Events of a sample, and pages of the partition that are read for it: others' events are on them too. */
  readonly sampleEvents: number;
  readonly samplePages: number;
  /** Users whose events are counted, and how many events of one. */
  readonly drawnUsers: number;
  readonly eventsPerUser: number;
  /** Datasets of up to so many events are searched for one of the target type, where the sample has none. */
  readonly searchedEvents: number;
  /** User records, and item records, whose attributes are looked at. */
  readonly attributeRecords: number;
}

export interface Datasets {
  readonly user: DatasetRow;
  readonly item: DatasetRow;
  readonly event: DatasetRow;
}

export interface Survey {
  /** Whether what is said of events is estimated; `events` itself never is. */
  readonly sampled: boolean;
  readonly targetType: string;
  readonly events: number;
  /** Events that were looked at one by one. */
  readonly eventsSeen: number;
  readonly targetEvents: number;
  readonly targetUsers: number;
  readonly targetItems: number;
  /** Zero target events is a fact, and not what a sample made it seem. */
  readonly isTargetCertain: boolean;
  readonly users: number;
  readonly usersWithOneEvent: number;
  readonly items: number;
  readonly itemsWithoutRecord: number;
  readonly userRecords: number;
  readonly itemRecords: number;
  /** The most frequent ones; `types` is how many there are. */
  readonly eventTypes: readonly { event_type: string; count: number; is_target: boolean }[];
  readonly types: number;
  readonly first_ts: number | null;
  readonly last_ts: number | null;
  /** Attributes of records that were looked at, but those that the schema says to hold numbers or free text. */
  readonly attributes: readonly ({ kind: 'user' | 'item' } & AttributeValuesRow)[];
}

/** What a training would find in the datasets: counted in full, or estimated from a sample of the events. */
export async function surveyData(
  db: Queryable,
  datasets: Datasets,
  targetType: string,
  bounds: SurveyBounds,
): Promise<Survey> {
  const isSampled = datasets.event.record_count > bounds.exactEvents;
  return {
    ...(await (isSampled ? surveySample : surveyAll)(db, datasets, targetType, bounds)),
    ...(await findTimes(db, datasets.event)),
    sampled: isSampled,
    targetType,
    userRecords: datasets.user.record_count,
    itemRecords: datasets.item.record_count,
    attributes: [
      ...(await surveyAttributes(db, datasets.item, 'item', bounds.attributeRecords)),
      ...(await surveyAttributes(db, datasets.user, 'user', bounds.attributeRecords)),
    ],
  };
}

type EventSurvey = Omit<
  Survey,
  'sampled' | 'targetType' | 'userRecords' | 'itemRecords' | 'first_ts' | 'last_ts' | 'attributes'
>;

async function surveyAll(db: Queryable, { event, item }: Datasets, targetType: string): Promise<EventSurvey> {
  const source = { dataset: event };
  const types = await listEventTypes(db, source, targetType, limits.checkedEventTypes);
  const users = await countUsers(db, source, targetType);
  const items = byRecord(await countItems(db, source, item, targetType));
  const events = types[0]?.events ?? 0;
  return {
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
  const pages = await countEventPages(db, event);
  const share = Math.min(1, bounds.sampleEvents / events, bounds.samplePages / pages);
  const source = { dataset: event, percent: 100 * share };
  const types = await listEventTypes(db, source, targetType, limits.checkedEventTypes);
  const { events: seen, target_events: targetSeen } = types[0] ?? { events: 0, target_events: 0 };
  const scale = events / Math.max(1, seen);
  const isSearched = events <= bounds.searchedEvents;
  const targetFound = targetSeen > 0 || (isSearched && (await hasEventOfType(db, event, targetType)));
  // At least one, where one was found outside the sample.
  const targetEvents = Math.max(Math.round(targetSeen * scale), targetFound ? 1 : 0);

  const users = await countUsers(db, source, targetType);
  const drawn = await drawUsers(db, source, bounds.drawnUsers / Math.max(1, seen), bounds.eventsPerUser);
  const eventsPerDraw = events / Math.max(1, drawn.drawn);
  // Where most events are of users too active to count, the sample has several of each such user.
  const allUsers =
    drawn.heavy > drawn.drawn / 2
      ? estimateDistinct(events, seen, users.users, users.users_once)
      : Math.max(users.users, drawn.inverse * eventsPerDraw);

  const { recorded, unrecorded } = byRecord(await countItems(db, source, item, targetType));
  const itemsOf = (row: ItemsRow) =>
    Math.round(estimateDistinct(row.events * scale, row.events, row.items, row.items_once));
  const withRecord = Math.min(itemsOf(recorded), Math.max(item.record_count, recorded.items));
  return {
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
 * How many different values there are in all, of which a sample has `distinct`, and `once` of them one time: the
 * estimator of Haas and Stokes (1998) that PostgreSQL's ANALYZE uses. Where a few values make up most of the events, it
 * is too low rather than too high.
 */
function estimateDistinct(all: number, sampled: number, distinct: number, once: number): number {
  if (sampled === 0) return 0;
  return (sampled * distinct) / (sampled - once + (once * sampled) / Math.max(sampled, all));
}

function byRecord(rows: readonly ItemsRow[]): { recorded: ItemsRow; unrecorded: ItemsRow } {
  const of = (has_record: boolean): ItemsRow =>
    rows.find((row) => row.has_record === has_record) ?? {
      ...{ has_record, items: 0, items_once: 0, target_items: 0, events: 0 },
    };
  return { recorded: of(true), unrecorded: of(false) };
}

function scaledTypes(rows: readonly EventTypesRow[], targetType: string, scale: number) {
  return {
    types: rows[0]?.types ?? 0,
    eventTypes: rows.map(({ event_type, count }) => ({
      ...{ event_type, count: Math.round(count * scale), is_target: event_type === targetType },
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
