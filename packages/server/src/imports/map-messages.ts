import { randomUUID } from 'node:crypto';
import { limits, type SegmentCall } from '@tastegraph/contract';
import { findUnstorable, type RecordFailure } from '../datasets/records/check-record.ts';
import { ApiError } from '../http/api-error.ts';

type Fields = Readonly<Record<string, unknown>>;

interface MappedRecord {
  /** Of the message, in the order of the request. */
  readonly index: number;
  readonly record: Fields;
}

interface MessageFailure extends RecordFailure {
  readonly index: number;
  readonly id?: string;
}

export interface MappedMessages {
  readonly events: MappedRecord[];
  readonly users: MappedRecord[];
  readonly failed: MessageFailure[];
  /** Messages that mean nothing to a recommender, by type or reason. */
  readonly ignored: Map<string, number>;
}

export interface MappingContext {
  readonly receivedAtMs: number;
  /** Of the whole batch. */
  readonly sentAt?: unknown;
  /** Whether traits of users are written. */
  readonly hasUsers: boolean;
}

/** Types that Segment's clients also send. Other texts are counted as one, so that their number is bounded. */
const knownTypes: ReadonlySet<unknown> = new Set<SegmentCall>(['page', 'screen', 'group', 'alias']);

/** In this order: the ID of Segment's e-commerce events, ours, and the one that a shop may use instead. */
const itemFields = ['product_id', 'item_id', 'sku'] as const;
/** What weighs an event. A price or revenue does not: an expensive item would count like many. */
const valueFields = ['rating', 'quantity'] as const;

/** Records are checked when they are written. Throws as soon as there are too many, so that a call takes milliseconds. */
export function mapMessages(messages: readonly unknown[], context: MappingContext): MappedMessages {
  const mapped: MappedMessages = { events: [], users: [], failed: [], ignored: new Map() };
  let size = 0;
  for (const [index, message] of messages.entries()) {
    const products = countProducts(message);
    if ((size += Math.max(1, products)) > limits.segmentRecords) throw tooMany();
    if (!isFields(message)) fail(mapped, index, 'FIELD_INVALID', 'the message must be an object');
    else if (message['type'] === 'track') mapTrack(mapped, index, message, context);
    else if (message['type'] === 'identify') mapIdentify(mapped, index, message, context);
    else ignore(mapped, knownTypes.has(message['type']) ? String(message['type']) : 'unknown_type');
  }
  return mapped;
}

/** How many records a message becomes at most. */
function countProducts(message: unknown): number {
  const properties = isFields(message) ? message['properties'] : undefined;
  const products = isFields(properties) ? properties['products'] : undefined;
  return Array.isArray(products) ? products.length : 0;
}

function tooMany(): ApiError {
  return new ApiError(
    'TOO_MANY_RECORDS',
    `The call has more than ${limits.segmentRecords} messages, counting each product as one. Send smaller batches.`,
  );
}

function mapTrack(mapped: MappedMessages, index: number, message: Fields, context: MappingContext): void {
  const properties = isFields(message['properties']) ? message['properties'] : {};
  const products = Array.isArray(properties['products']) ? (properties['products'] as unknown[]) : [];
  const user_id = userOf(message);
  const { event: event_type, timestamp } = message;
  const ts = timeOf(message, context);
  if (user_id === undefined) {
    fail(mapped, index, 'FIELD_MISSING', 'userId and anonymousId are missing');
  } else if (typeof event_type !== 'string') {
    fail(mapped, index, 'FIELD_MISSING', 'event is missing');
  } else if (ts === undefined) {
    fail(mapped, index, 'FIELD_INVALID', `timestamp is not a time in ISO 8601: ${describe(timestamp)}`);
  } else if (products.length > limits.segmentProducts) {
    fail(mapped, index, 'FIELD_INVALID', `products has more than ${limits.segmentProducts} elements`);
  } else {
    const messageId = textOf(message['messageId']) ?? randomUUID();
    const event = { user_id, event_type, ts };
    // The position is part of the ID, so that a retry replaces the same events.
    const sources =
      products.length > 0
        ? products.map((product, n) => ({ ...event, event_id: `${messageId}:${n}`, source: product }))
        : [{ ...event, event_id: messageId, source: properties }];
    for (const { source, ...fields } of sources) {
      const details = isFields(source) ? detailsOf(source, properties) : undefined;
      if (details) mapped.events.push({ index, record: { ...fields, ...details } });
      else ignore(mapped, 'track_without_item');
    }
  }
}

/** The fields of an event that its properties, or those of one of its products, say. Undefined without an item. */
function detailsOf(source: Fields, properties: Fields): Fields | undefined {
  const itemField = itemFields.find((field) => textOf(source[field]) !== undefined);
  if (itemField === undefined) return undefined;
  const value = valueFields.map((field) => source[field]).find(isWeight);
  const recommendationId = source['recommendation_id'] ?? properties['recommendation_id'];
  const omitted = new Set<string>([itemField, 'products', 'recommendation_id']);
  const attributes = fittingAttributes(source, omitted, source === properties ? {} : orderOf(properties));
  return {
    item_id: textOf(source[itemField]),
    ...(value !== undefined && { event_value: value }),
    ...(typeof recommendationId === 'string' && { recommendation_id: recommendationId }),
    ...(attributes && { attributes }),
  };
}

function mapIdentify(mapped: MappedMessages, index: number, message: Fields, context: MappingContext): void {
  const user_id = userOf(message);
  if (!context.hasUsers) ignore(mapped, 'identify_without_dataset');
  else if (user_id === undefined) fail(mapped, index, 'FIELD_MISSING', 'userId and anonymousId are missing');
  else {
    const traits = isFields(message['traits']) ? message['traits'] : {};
    mapped.users.push({ index, record: { user_id, attributes: fittingTraits(traits) } });
  }
}

/** What is worth keeping of an order with each of its products. Short, because it is repeated. */
function orderOf({ order_id }: Fields): Fields {
  const text = textOf(order_id);
  return text !== undefined && text.length <= limits.developerIdLength ? { order_id } : {};
}

function userOf({ userId, anonymousId }: Fields): string | undefined {
  return textOf(userId) ?? textOf(anonymousId);
}

/** As Segment does it: the clock of the client may be wrong, but both of its times are wrong alike. */
function timeOf(message: Fields, { receivedAtMs, sentAt }: MappingContext): number | undefined {
  const { timestamp } = message;
  if (timestamp === undefined || timestamp === null) return receivedAtMs;
  const happened = parseTime(timestamp);
  const sent = parseTime(message['sentAt'] ?? sentAt);
  return happened === undefined || sent === undefined ? happened : receivedAtMs - (sent - happened);
}

function fail(mapped: MappedMessages, index: number, code: RecordFailure['code'], message: string): void {
  mapped.failed.push({ index, code, message });
}

function ignore({ ignored }: MappedMessages, reason: string): void {
  ignored.set(reason, (ignored.get(reason) ?? 0) + 1);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** IDs are text; many senders have numbers. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isWeight(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

const describe = (value: unknown) =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, 50)) : typeof value;

/** A time in ISO 8601, in milliseconds. `Date.parse` alone would accept more, such as "1". */
function parseTime(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(T|$)/.test(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Leaves room for the other fields of the event: its longest IDs have 1,112 characters of up to 4 bytes. */
const maxBytes = limits.eventBytes - 6 * 1024;

/** The properties as attributes of an event. Undefined if they cannot be stored: the event counts without them. */
function fittingAttributes(
  properties: Fields,
  omitted: ReadonlySet<string>,
  more: Fields,
): Fields | undefined {
  const kept = Object.entries({ ...more, ...properties }).filter(([name]) => !omitted.has(name));
  const attributes = Object.fromEntries(kept);
  if (kept.length === 0 || findUnstorable(attributes, 0) !== undefined) return undefined;
  return Buffer.byteLength(JSON.stringify(attributes)) > maxBytes ? undefined : attributes;
}

/** The traits that can be attributes of a user. Others, such as an address, are objects. */
function fittingTraits(traits: Fields): Fields {
  return Object.fromEntries(Object.entries(traits).filter(([, value]) => isAttribute(value)));
}

const isAttribute = (value: unknown) =>
  Array.isArray(value)
    ? value.every((element) => typeof element !== 'object')
    : value === null || typeof value !== 'object';
