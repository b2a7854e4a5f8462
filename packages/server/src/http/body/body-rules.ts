import { limits, type Operation, type OperationName, operations } from '@tastegraph/contract';
import { ApiError } from '../api-error.ts';

/** Limits of an operation's body. */
export interface BodyRules {
  readonly maxBytes: number;
  /** The field with the operation's records or IDs, if it has one. */
  readonly list: ListField | undefined;
}

/** The field that makes a request large, such as the records of an upsert. */
export interface ListField {
  readonly name: string;
  readonly maxElements: number;
  /** The maximum size of an element as JSON without white space and unnecessary escapes. */
  readonly elementBytes: number;
  /** The field that identifies an element. Absent if elements are not objects. */
  readonly idField: string | undefined;
}

/** The longest ID at 4 bytes per character, with quotes. */
const idBytes = limits.eventIdLength * 4 + 2;

export function bodyRulesOf(name: OperationName): BodyRules {
  const { request, maxBodyBytes = limits.smallBodyBytes }: Operation = operations[name];
  const { properties = {} } = request as unknown as { properties?: Record<string, ListSchema> };
  const entry = Object.entries(properties).find(
    ([, schema]) => schema['x-error-code'] === 'TOO_MANY_RECORDS',
  );
  return { maxBytes: maxBodyBytes, list: entry && listField(...entry) };
}

interface ListSchema {
  readonly maxItems?: number;
  readonly 'x-error-code'?: string;
  readonly 'x-records'?: string;
}

function listField(name: string, schema: ListSchema): ListField {
  const idField = schema['x-records'];
  return {
    name,
    maxElements: schema.maxItems ?? limits.recordsPerCall,
    elementBytes: elementBytes(idField),
    idField,
  };
}

function elementBytes(idField: string | undefined): number {
  if (idField === undefined) return idBytes;
  return idField === 'event_id' ? limits.eventBytes : limits.userOrItemBytes;
}

export function tooManyElements({ name, maxElements }: ListField): ApiError {
  const message = `must have at most ${maxElements} elements`;
  return new ApiError('TOO_MANY_RECORDS', `${name} ${message}.`, { errors: [{ path: name, message }] });
}

/** The body outside the list is larger than a small body. */
export function envelopeTooLarge({ name }: ListField): ApiError {
  return new ApiError(
    'BODY_TOO_LARGE',
    `The fields other than ${name} exceed the limit of ${limits.smallBodyBytes} bytes in total. Remove some of them.`,
  );
}

export function invalidBody(message: string, cause?: unknown): ApiError {
  return new ApiError('INVALID_REQUEST', message, { errors: [{ path: '', message }], cause });
}

export const notUtf8 = () => invalidBody('The body is not valid UTF-8.');

export function incompleteBody(cause?: unknown): ApiError {
  const message = 'The request ended before its body was complete. Send it again.';
  return new ApiError('INVALID_REQUEST', message, { cause });
}
