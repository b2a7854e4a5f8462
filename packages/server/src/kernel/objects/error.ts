/**
 * - `absent`: the object does not exist.
 * - `unavailable`: the store did not answer in time or is out of space; a retry may succeed.
 * - `refused`: a retry will not help: bad key, no permission, wrong credentials, no such bucket.
 * - `damaged`: the bytes read are not the bytes written.
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
