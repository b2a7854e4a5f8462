import { limits } from '@tastegraph/contract';
import { ApiError } from '../api-error.ts';

/** The field that makes a request large, such as the records of an upsert. */
export interface ListField {
  readonly name: string;
  readonly maxElements: number;
  /** The maximum size of an element as JSON without white space and unnecessary escapes. */
  readonly elementBytes: number;
  /** The field that identifies an element. Absent if elements are not objects. */
  readonly idField: string | undefined;
}

/** The list has too many elements. */
export class TooManyElements extends Error {
  override readonly name = 'TooManyElements';
}

/** An element is not JSON. */
export class ElementError extends Error {
  override readonly name = 'ElementError';
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super(`element ${index} is not valid JSON`, { cause });
    this.index = index;
  }
}

/** The body outside the list is larger than a small body. */
export class EnvelopeTooLarge extends Error {
  override readonly name = 'EnvelopeTooLarge';
}

/** Converts errors in the caller's body to an ApiError. Returns other errors unchanged. */
export function toListError(error: unknown, { name, maxElements }: ListField): unknown {
  if (error instanceof TooManyElements) {
    const message = `must have at most ${maxElements} elements`;
    return new ApiError('TOO_MANY_RECORDS', `${name} ${message}.`, { errors: [{ path: name, message }] });
  }
  if (error instanceof EnvelopeTooLarge)
    return new ApiError(
      'BODY_TOO_LARGE',
      `The fields other than ${name} exceed the limit of ${limits.smallBodyBytes} bytes in total. Remove some of them.`,
    );
  if (error instanceof ElementError)
    return invalidBody(`The body is not valid JSON (in element ${error.index} of ${name}).`);
  return error instanceof SyntaxError ? invalidBody('The body is not valid JSON.') : error;
}

export function invalidBody(message: string): ApiError {
  return new ApiError('INVALID_REQUEST', message, { errors: [{ path: '', message }] });
}
