import { EventRecord, type FailureCode, ItemRecord, limits, UserRecord } from '@tastegraph/contract';
import { Ajv, type ErrorObject } from 'ajv';
import { messageOf } from '../validation.ts';

/** What is wrong with one record. */
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

// Verbose: the message of a failed pattern is the field's description, which stands in its schema.
const ajv = new Ajv({ allErrors: false, verbose: true, strict: true, allowUnionTypes: true });

const validators = {
  event: ajv.compile(EventRecord),
  user: ajv.compile(UserRecord),
  item: ajv.compile(ItemRecord),
};

/** Checks a record that has an id against the contract; undefined when it is sound. */
export function checkRecord(kind: RecordKind, record: unknown): RecordFailure | undefined {
  const validate = validators[kind];
  if (!validate(record)) {
    const [error] = validate.errors ?? [];
    return error
      ? failureOf(error, recordKinds[kind].idField)
      : { code: 'FIELD_INVALID', message: 'is not valid' };
  }
  const { attributes } = record as { attributes?: object };
  if (attributes === undefined) return undefined;
  const problem = findUnstorable(attributes, 0);
  return problem === undefined ? undefined : { code: 'FIELD_INVALID', message: `attributes ${problem}` };
}

function failureOf(error: ErrorObject, idField: string): RecordFailure {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword === 'required') {
    const { missingProperty } = error.params as { missingProperty: string };
    return { code: 'FIELD_MISSING', message: `${missingProperty} is missing` };
  }
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty } = error.params as { additionalProperty: string };
    const name = JSON.stringify(additionalProperty.slice(0, 100));
    return { code: 'FIELD_INVALID', message: `${name} is not a field of the record: put it into attributes` };
  }
  if (path === idField) return { code: 'ID_INVALID', message: `${path} ${messageOf(error)}` };
  if (error.instancePath.startsWith('/attributes/')) {
    const name = error.instancePath.split('/')[2]?.replaceAll('~1', '/').replaceAll('~0', '~');
    return {
      code: 'ATTRIBUTE_TYPE',
      message: `attribute ${JSON.stringify(name)} must be a string, a number, a boolean, or an array of these`,
    };
  }
  return { code: 'FIELD_INVALID', message: `${path} ${messageOf(error)}` };
}

/**
 * What passes as JSON but cannot be kept: PostgreSQL holds no NUL and no half of a surrogate pair, JSON no
 * infinity (1e999 parses to one), and nobody needs what is nested without end.
 */
export function findUnstorable(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed()
      ? 'hold a NUL or half of a surrogate pair, which cannot be stored'
      : undefined;
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : 'hold a number too large for a double';
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === limits.attributeDepth) return `are nested more than ${limits.attributeDepth} deep`;
  if (Array.isArray(value)) {
    for (const element of value) {
      const problem = findUnstorable(element, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  for (const [key, element] of Object.entries(value)) {
    const problem = findUnstorable(key, depth) ?? findUnstorable(element, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
