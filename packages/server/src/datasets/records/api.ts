import { limits, type Request } from '@tastegraph/contract';
import { ApiError } from '../../http/api-error.ts';
import type { Context } from '../../http/context.ts';
import type { Handlers } from '../../http/handlers.ts';
import { listKeyedPage } from '../../http/pages.ts';
import { JsonText, parseJson } from '../../kernel/lib/json.ts';
import { getDataset } from '../get-dataset.ts';
import {
  type EventPlace,
  endOfPrefix,
  findEntity,
  findEvent,
  listEntities,
  listUserEvents,
  type StoredEntity,
  type StoredEvent,
  sampleEntities,
} from '../rows/record-reads.ts';
import { deleteEventsBeforeTs, deleteUserEvents, deleteUsersOrItems } from './delete-records.ts';
import { eventJson, itemJson, userJson } from './record-json.ts';
import { upsertRecords } from './upsert-records.ts';

const pageJson = (key: string, { items, ...page }: Awaited<ReturnType<typeof listEvents>>) =>
  new JsonText(
    `{"${key}":[`,
    ...items.map((item, index) => (index === 0 ? item : `,${item}`)),
    `],${JSON.stringify(page).slice(1)}`,
  );

export const recordHandlers = {
  upsertDatasetUsers: async (call, { user_dataset_id, users, mode }) => ({
    user_dataset_id,
    ...(await upsertRecords(call, 'user', user_dataset_id, users, { mode })),
  }),
  upsertDatasetItems: async (call, { item_dataset_id, items, mode }) => ({
    item_dataset_id,
    ...(await upsertRecords(call, 'item', item_dataset_id, items, { mode })),
  }),
  upsertDatasetEvents: async (call, { event_dataset_id, events, mode, allow_old_ts }) => ({
    event_dataset_id,
    ...(await upsertRecords(call, 'event', event_dataset_id, events, { mode, allowOldTs: allow_old_ts })),
  }),
  getDatasetUser: async (call, { user_dataset_id, user_id }) =>
    new JsonText(userJson(await getUserOrItem(call, 'user', user_dataset_id, user_id))),
  getDatasetItem: async (call, { item_dataset_id, item_id }) =>
    new JsonText(itemJson(await getUserOrItem(call, 'item', item_dataset_id, item_id))),
  getDatasetEvent: async (call, { event_dataset_id, event_id }) =>
    new JsonText(eventJson(await getEvent(call, event_dataset_id, event_id))),
  listDatasetUsers: async (call, { user_dataset_id, ...request }) =>
    pageJson('users', await listUsersOrItems(call, 'user', user_dataset_id, request, userJson)),
  listDatasetItems: async (call, { item_dataset_id, ...request }) =>
    pageJson('items', await listUsersOrItems(call, 'item', item_dataset_id, request, itemJson)),
  listDatasetEvents: async (call, { event_dataset_id, ...request }) =>
    pageJson('events', await listEvents(call, event_dataset_id, request)),
  deleteDatasetUsers: async (call, { user_dataset_id, ids }) => ({
    user_dataset_id,
    deleted_ids: await deleteUsersOrItems(call, 'user', user_dataset_id, ids),
  }),
  deleteDatasetItems: async (call, { item_dataset_id, ids }) => ({
    item_dataset_id,
    deleted_ids: await deleteUsersOrItems(call, 'item', item_dataset_id, ids),
  }),
  deleteDatasetUserEvents: async (call, { event_dataset_id, user_id }) => {
    await deleteUserEvents(call, event_dataset_id, user_id);
    return { event_dataset_id, user_id };
  },
  deleteDatasetEventsBeforeTs: async (call, { event_dataset_id, ts, start_ts = 0 }) => {
    await deleteEventsBeforeTs(call, event_dataset_id, ts, start_ts);
    return { event_dataset_id, ts };
  },
} as const satisfies Handlers;

async function getUserOrItem(
  ctx: Context,
  kind: 'user' | 'item',
  datasetId: string,
  id: string,
): Promise<StoredEntity> {
  const dataset = await getDataset(ctx, kind, datasetId);
  const [record] = await findEntity(ctx.db, dataset, id);
  if (!record) throw recordNotFound(kind === 'user' ? 'User' : 'Item', id, datasetId);
  return record;
}

async function getEvent(ctx: Context, datasetId: string, eventId: string): Promise<StoredEvent> {
  const dataset = await getDataset(ctx, 'event', datasetId);
  const [record] = await findEvent(ctx.db, dataset, eventId);
  if (!record) throw recordNotFound('Event', eventId, datasetId);
  return record;
}

function recordNotFound(kind: string, id: string, datasetId: string): ApiError {
  return new ApiError('NOT_FOUND', `${kind} \`${id}\` was not found in dataset \`${datasetId}\`.`);
}

/** Throws if the request has fields that mean nothing for a sample. */
function checkAlone(others: object): void {
  const message = 'is not allowed with `sample`';
  const errors = Object.keys(others).map((path) => ({ path, message }));
  if (errors.length > 0)
    throw new ApiError('INVALID_REQUEST', errors.map(({ path }) => `${path} ${message}.`).join(' '), {
      errors,
    });
}

/** `present` returns each record as JSON text. */
async function listUsersOrItems(
  ctx: Context,
  kind: 'user' | 'item',
  datasetId: string,
  { id_prefix = '', sample, ...request }: Omit<Request<'listDatasetUsers'>, 'user_dataset_id'>,
  present: (row: StoredEntity) => string,
) {
  const dataset = await getDataset(ctx, kind, datasetId);
  if (sample !== undefined) {
    checkAlone({ ...request, ...(id_prefix !== '' && { id_prefix }) });
    const rows = await sampleEntities(ctx.db, dataset, sample);
    return { items: rows.map(present), next_page_token: null, message: null };
  }
  const before = endOfPrefix(id_prefix);
  return listKeyedPage<string | undefined, StoredEntity, string>(ctx, request, {
    name: `${kind}s ${datasetId}`,
    start: undefined,
    tokenKeys: { encode: (id = '') => Buffer.from(id), decode: (bytes) => bytes.toString() },
    rows: (after, size) => {
      // A token may come from a page with another prefix.
      const isInside = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(id_prefix)) >= 0;
      const range = isInside
        ? { from: after, includesFrom: false, before }
        : { from: id_prefix, includesFrom: true, before };
      return listEntities(ctx.db, dataset, range, size);
    },
    keyOf: ({ id }) => id,
    present,
  });
}

type EventsRequest = Omit<Request<'listDatasetEvents'>, 'event_dataset_id'>;

/** Events with `since_ts <= ts < until_ts`, newest first. */
async function listEvents(
  ctx: Context,
  datasetId: string,
  { user_id, event_type, since_ts = 0, until_ts = limits.tsMax + 1, ...request }: EventsRequest,
) {
  const dataset = await getDataset(ctx, 'event', datasetId);
  const filter = { userId: user_id, eventType: event_type, sinceTs: since_ts };
  /** Before every event of the last millisecond: no ID is empty. */
  const start: EventPlace = { ts: until_ts - 1, item_id: '', event_type: '', event_id: '' };
  return listKeyedPage<EventPlace, StoredEvent, string>(ctx, request, {
    name: `events ${datasetId} ${user_id}`,
    start,
    tokenKeys: eventPlaces,
    rows: (after, size) => listUserEvents(ctx.db, dataset, filter, after.ts > start.ts ? start : after, size),
    keyOf: ({ ts, item_id, event_type: type, event_id }) => ({ ts, item_id, event_type: type, event_id }),
    present: eventJson,
  });
}

const eventPlaces = {
  encode: ({ ts, item_id, event_type, event_id }: EventPlace) =>
    Buffer.from(JSON.stringify([ts, item_id, event_type, event_id])),
  decode: (bytes: Buffer): EventPlace => {
    const [ts, item_id, event_type, event_id] = parseJson(bytes.toString()) as [
      number,
      string,
      string,
      string,
    ];
    return { ts, item_id, event_type, event_id };
  },
};
