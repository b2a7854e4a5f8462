import {
  type AttributeCode,
  type AttributeRecord,
  carriersOf,
  countTokens,
  encodeAll,
  type Incidence,
  learnCodes,
  type TasteSnapshot,
  textAt,
  valuesOf,
} from '@tastegraph/algorithms';
import type { AttributeKind, EventRecord } from '@tastegraph/contract';
import type { EntityRow } from '../../../src/datasets/rows/entities.ts';
import { learnableKinds } from '../../../src/training/learn-attributes.ts';
import type { TrainingSource } from '../../../src/training/rows/training-rows.ts';
import type { TrainingRecords } from '../stack/training-fixture.ts';

/** In byte order, as PostgreSQL compares IDs. */
const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** What readTrainingData must return, as plainly as possible, with everything in memory. */
export function referenceRead(
  source: TrainingSource,
  records: TrainingRecords,
  named: readonly string[] = [],
) {
  const users = records.users.toSorted((a, b) => compare(a.id, b.id));
  const items = records.items.toSorted((a, b) => compare(a.id, b.id));
  const eventTypes = typesOf(source.target_event_type, records.events, named);
  const histories = Map.groupBy(
    records.events.toSorted(
      (a, b) =>
        compare(a.user_id, b.user_id) ||
        b.ts - a.ts ||
        compare(a.item_id, b.item_id) ||
        compare(a.event_type, b.event_type) ||
        valueOf(a) - valueOf(b),
    ),
    (event) => event.user_id,
  );
  const usable = [...histories.values()].map((history) =>
    history.filter(({ event_type }) => eventTypes.includes(event_type)),
  );
  const used = usable.map((history) => history.slice(0, 1000).toReversed());
  const kept = used.flat();
  const keptItems = new Set(kept.map(({ item_id }) => item_id));
  const met = [...histories.values()].flat().map(({ item_id }) => item_id);
  const itemIds = [...new Set([...items.map(({ id }) => id), ...met.filter((id) => keptItems.has(id))])];

  const userCodes = codesOf(users, source.users.attribute_schema);
  const itemCodes = codesOf(items, source.items.attribute_schema);
  const recordOf = new Map(users.map(({ id, attributes }) => [id, attributes as AttributeRecord]));
  const itemRows = itemIds.map((_, number) => items[number]?.attributes as AttributeRecord | undefined);
  const weightOf = weigher(kept);
  return {
    itemIds,
    eventTypes,
    userCodes,
    itemCodes,
    item: kept.map(({ item_id }) => itemIds.indexOf(item_id)),
    type: kept.map(({ event_type }) => eventTypes.indexOf(event_type)),
    value: kept.map(weightOf),
    offsets: used.reduce((offsets, history) => [...offsets, (offsets.at(-1) ?? 0) + history.length], [0]),
    ordered: [...histories.values()].some((history) => new Set(history.map(({ ts }) => ts)).size > 1),
    cut: usable.flat().length - kept.length,
    userAttributes: plain(
      userCodes,
      [...histories.keys()].map((id) => recordOf.get(id)),
    ),
    itemAttributes: plain(itemCodes, itemRows),
    snapshot: {
      // With a used event or a record.
      users: [...new Set([...histories.keys(), ...recordOf.keys()])].toSorted(compare).flatMap((id) => {
        const history = used[[...histories.keys()].indexOf(id)] ?? [];
        const events = history.map((event) => [event.item_id, event.event_type, weightOf(event)]);
        return events.length > 0 || recordOf.has(id)
          ? [{ id, events, attributes: encodeAll(userCodes, [recordOf.get(id)]).column }]
          : [];
      }),
      values: carriedValues(items),
    },
    counts: {
      events: records.events.length,
      newestEventTs: records.events.map(({ ts }) => ts).toSorted((a, b) => b - a)[0],
      targetEvents: records.events.filter(({ event_type }) => event_type === source.target_event_type).length,
      users: histories.size,
      usersWithRecord: [...histories.keys()].filter((id) => recordOf.has(id)).length,
      items: itemIds.length,
      itemsWithoutRecord: itemIds.length - items.length,
    },
  };
}

const valueOf = ({ event_value = 1 }: EventRecord) => event_value;

/** An event weighs at most a hundred times the median of its type. */
function weigher(kept: readonly EventRecord[]): (event: EventRecord) => number {
  const most = new Map(
    [...Map.groupBy(kept, ({ event_type }) => event_type)].map(([type, events]) => {
      const values = events.map((event) => Math.fround(valueOf(event))).filter((value) => value > 0);
      return [type, 100 * (values.toSorted((a, b) => a - b)[values.length >> 1] ?? Infinity)];
    }),
  );
  return (event) =>
    Math.fround(Math.min(Math.fround(valueOf(event)), most.get(event.event_type) ?? Infinity));
}

function typesOf(target: string, events: readonly EventRecord[], named: readonly string[]): string[] {
  const counts = Map.groupBy(events, ({ event_type }) => event_type);
  const others = [...counts]
    .filter(([type]) => type !== target)
    .toSorted(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
    .map(([type]) => type);
  const kept = [...others.filter((type) => named.includes(type)), ...others].filter(
    (type, place, all) => all.indexOf(type) === place,
  );
  return [target, ...others.filter((type) => kept.indexOf(type) < 15)];
}

function codesOf(
  records: readonly EntityRow[],
  schema: Record<string, AttributeKind> | null,
): AttributeCode[] {
  const values = records
    .flatMap(({ attributes }) => Object.entries(attributes))
    .filter(([, value]) => value !== null);
  const names = new Set([...Object.keys(schema ?? {}), ...values.map(([name]) => name).toSorted()]);
  const attributes = [...names].flatMap((name) => {
    const own = values.filter(([of]) => of === name).map(([, value]) => value);
    const inferred = own.every((value) => typeof value === 'number') ? 'NUMERICAL' : 'CATEGORICAL';
    const kind = (schema && Object.hasOwn(schema, name) ? schema[name] : undefined) ?? inferred;
    const learned = learnableKinds({ [name]: kind })[name] ?? inferred;
    return own.length === 0 ? [] : [{ name, kind: learned }];
  });
  const codes = learnCodes(
    attributes,
    records.map(({ attributes: of }) => of as AttributeRecord),
  );
  return codes
    .filter((code) => countTokens([code]) > 0)
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

const rankOf = ({ kind }: AttributeCode) => ['VECTOR', 'TEXT'].indexOf(kind);

/** Each name and value with the IDs of the items that have it, unordered. */
function carriedValues(items: readonly EntityRow[]): Set<string> {
  const pairs = items.flatMap(({ id, attributes }) =>
    Object.entries(attributes).flatMap(([name, value]) =>
      [value].flat().flatMap((each) => (each === null ? [] : [{ id, key: JSON.stringify([name, each]) }])),
    ),
  );
  const carriers = Map.groupBy(pairs, ({ key }) => key);
  return new Set(
    [...carriers].map(([key, of]) => `${key} ${JSON.stringify([...new Set(of.map(({ id }) => id))])}`),
  );
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, place) => from + place);

/** A snapshot in the same format. */
export function plainSnapshot(
  { userIds, events, userAttributes, values }: Omit<TasteSnapshot, 'priorStrength'>,
  itemIds: readonly string[],
  eventTypes: readonly string[],
): ReturnType<typeof referenceRead>['snapshot'] {
  const { offsets, item, type, value } = events;
  return {
    users: Array.from({ length: events.users }, (_, user) => ({
      id: textAt(userIds, user),
      events: range(offsets[user] ?? 0, offsets[user + 1] ?? 0).map((event) => [
        itemIds[item[event] ?? -1] ?? '',
        eventTypes[type[event] ?? -1] ?? '',
        value[event] ?? -1,
      ]),
      attributes: userAttributes.column.slice(userAttributes.offsets[user], userAttributes.offsets[user + 1]),
    })),
    values: new Set(
      values.names.flatMap((name) =>
        [...valuesOf(values, name)].map(
          (each) =>
            `${JSON.stringify([name, each.value])} ${JSON.stringify(Array.from(carriersOf(values, each.number), (one) => itemIds[one]))}`,
        ),
      ),
    ),
  };
}

/** Row by row, as lists. */
export function rowsOf({ rows, columns, offsets, column }: Incidence): { columns: number; rows: number[][] } {
  const row = (_: unknown, number: number) => [...column.subarray(offsets[number], offsets[number + 1])];
  return { columns, rows: Array.from({ length: rows }, row) };
}

const plain = (codes: readonly AttributeCode[], records: readonly (AttributeRecord | undefined)[]) =>
  codes.length === 0 ? undefined : rowsOf(encodeAll(codes, records));
