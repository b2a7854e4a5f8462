import {
  AttributeName,
  EventChange,
  EventRecord,
  type FailureCode,
  ItemRecord,
  limits,
  UserRecord,
} from '@tastegraph/contract';
import { Ajv, type ErrorObject } from 'ajv';
import { compileDropNulls, invalidName, messageOf, nearestField } from '../../http/validation.ts';
import type { UpsertMode } from '../../http/write-scope.ts';
import { latestTs } from '../event-times.ts';

/** Why one record of an upsert failed. */
export interface RecordFailure {
  readonly code: FailureCode;
  readonly message: string;
}

export const recordKinds = {
  event: { schema: EventRecord, idField: 'event_id' },
  user: { schema: UserRecord, idField: 'user_id' },
  item: { schema: ItemRecord, idField: 'item_id' },
} as const;

export type RecordKind = keyof typeof recordKinds;

// `verbose` adds the schema of the failed field, which messageOf reads.
const ajv = new Ajv({ allErrors: false, verbose: true, strict: true, allowUnionTypes: true });

const compile = (schema: object) => ({
  validate: ajv.compile(withFreeAttributes(schema)),
  dropNulls: compileDropNulls(schema),
});
const checks = {
  event: compile(EventRecord),
  user: compile(UserRecord),
  item: compile(ItemRecord),
};
const isName = ajv.compile(AttributeName);
/** Only events need another schema: users and items require only their ID in both modes. */
const mergeChecks = { ...checks, event: compile(EventChange) };

/** Checks a record that has an ID. Removes optional fields that are null. */
export function checkRecord(
  kind: RecordKind,
  record: unknown,
  mode: UpsertMode = 'REPLACE',
): RecordFailure | undefined {
  const { validate, dropNulls } = (mode === 'MERGE' ? mergeChecks : checks)[kind];
  dropNulls?.(record);
  if (!validate(record)) {
    const [error] = validate.errors ?? [];
    return error
      ? failureOf(error, recordKinds[kind].idField)
      : { code: 'FIELD_INVALID', message: 'is not valid' };
  }
  const { attributes, ts } = record as { attributes?: object; ts?: number };
  if (ts !== undefined && ts > latestTs()) return inFuture;
  if (attributes === undefined) return undefined;
  const failure = kind === 'event' ? undefined : checkValues(attributes);
  if (failure) return failure;
  const problem = findUnstorable(attributes, 0);
  return problem === undefined ? undefined : { code: 'FIELD_INVALID', message: `attributes ${problem}` };
}

/** Without the value, so that an import counts such records as one reason. */
const inFuture: RecordFailure = {
  code: 'TIME_IN_FUTURE',
  message: `ts is more than ${limits.eventAheadMs / 3_600_000} hours ahead of the server's clock; it must be in milliseconds since the Unix epoch (UTC)`,
};

function failureOf(error: ErrorObject, idField: string): RecordFailure {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'required') {
    const { missingProperty } = error.params as { missingProperty: string };
    return { code: 'FIELD_MISSING', message: `${missingProperty} is missing` };
  }
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty } = error.params as { additionalProperty: string };
    const name = JSON.stringify(additionalProperty.slice(0, 100));
    const suggestion = nearestField(error);
    const advice =
      suggestion === undefined
        ? 'move it into attributes'
        : `rename it to ${suggestion}, or move it into attributes`;
    return { code: 'FIELD_INVALID', message: `${name} is not a field of the record; ${advice}` };
  }
  if (path === idField) return { code: 'ID_INVALID', message: `${path} ${messageOf(error)}` };
  return { code: 'FIELD_INVALID', message: `${path} ${messageOf(error)}` };
}

/** checkValues checks attributes: Ajv would create an error per value and kind, which takes 70 ms for 256 KiB. */
function withFreeAttributes(schema: object): object {
  const { properties } = schema as { properties: object };
  return { ...schema, properties: { ...properties, attributes: { type: 'object' } } };
}

/** Checks the attributes of a user or item as the contract's `Attributes` schema does: names first, then values. */
function checkValues(attributes: object): RecordFailure | undefined {
  let wrong: string | undefined;
  let names = 0;
  // With thousands of names this is four times as fast as Object.entries.
  for (const name in attributes) {
    if (++names > limits.recordNames) return { code: 'FIELD_INVALID', message: tooManyNames };
    if (!isName(name)) return { code: 'FIELD_INVALID', message: `attributes ${invalidName}` };
    if (wrong === undefined && !isValue((attributes as Record<string, unknown>)[name])) wrong = name;
  }
  if (wrong === undefined) return undefined;
  return {
    code: 'ATTRIBUTE_TYPE',
    message: `attribute ${JSON.stringify(wrong)} must be a string, a number, a boolean, or an array of these`,
  };
}

const isValue = (value: unknown) =>
  value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar));

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

const tooDeep = `must not be nested more than ${limits.attributeDepth} levels deep`;
export const tooManyNames = `the record has more than ${limits.recordNames} field and attribute names in total`;
export const nestedTooDeep = `attributes ${tooDeep}`;

/** Why valid JSON cannot be stored: NUL, unpaired surrogates, 1e999 (which parses to Infinity), too many levels. */
export function findUnstorable(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed()
      ? 'must not contain a NUL character or an unpaired surrogate'
      : undefined;
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : 'must not contain a number that is too large for a double';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === limits.attributeDepth) return tooDeep;
  if (Array.isArray(value)) {
    for (const element of value) {
      const problem = findUnstorable(element, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  // With thousands of keys this is four times as fast as Object.entries.
  for (const key in value) {
    const element = (value as Record<string, unknown>)[key];
    const problem = findUnstorable(key, depth) ?? findUnstorable(element, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
