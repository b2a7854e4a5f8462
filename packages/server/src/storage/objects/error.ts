/**
 * - `absent`: there is no such object.
 * - `unavailable`: the store did not answer, not in time, or is out of space; it may be well later.
 * - `refused`: asking again will not help: a bad key, no permission, wrong credentials, no such bucket.
 * - `damaged`: what was read is not what was written.
 */
export type ObjectStoreErrorKind = 'absent' | 'unavailable' | 'refused' | 'damaged';

export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError';
  readonly kind: ObjectStoreErrorKind;

  constructor(kind: ObjectStoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export function isAbsent(error: unknown): boolean {
  return error instanceof ObjectStoreError && error.kind === 'absent';
}
