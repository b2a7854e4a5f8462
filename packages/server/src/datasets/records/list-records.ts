import { limits } from '@tastegraph/contract';
import { ApiError } from '../../http/api-error.ts';
import type { Context } from '../../http/context.ts';
import { listKeyedPage, type PageRequest } from '../../http/pages.ts';
import { parseJson } from '../../kernel/lib/json.ts';
import { getDataset } from '../get-dataset.ts';
import {
  type EventPlace,
  listEntities,
  listUserEvents,
  type StoredEntity,
  type StoredEvent,
} from '../rows/record-reads.ts';
import { sampleEntities } from '../rows/sample-entities.ts';
import { endOfPrefix } from './end-of-prefix.ts';

interface EntitiesRequest extends PageRequest {
  readonly id_prefix?: string;
  readonly sample?: number;
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
export async function listUsersOrItems(
  ctx: Context,
  kind: 'user' | 'item',
  datasetId: string,
  { id_prefix = '', sample, ...request }: EntitiesRequest,
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

interface EventsRequest extends PageRequest {
  readonly user_id: string;
  readonly event_type?: string;
  readonly since_ts?: number;
  readonly until_ts?: number;
}

/** Events with `since_ts <= ts < until_ts`, newest first. */
export async function listEvents(
  ctx: Context,
  datasetId: string,
  { user_id, event_type, since_ts = 0, until_ts = limits.tsMax + 1, ...request }: EventsRequest,
  present: (row: StoredEvent) => string,
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
    present,
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
