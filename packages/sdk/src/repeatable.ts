import type { OperationName } from '@tastegraph/contract/endpoints';
import type { RemovalName } from './operations.ts';

/** What was being done: an operation, or getting the token for one. */
export type Action = OperationName | 'token';

/** Creates and submits make something new each time; all else ends in the same state however often it is done. */
export function isRepeatable(action: Action): boolean {
  return !/^(create|submit)[A-Z]/.test(action);
}

export function isRemoval(action: Action): action is RemovalName {
  return /^delete(?!Dataset)/.test(action);
}

/** For when nobody can say whether the operation was carried out. */
export function adviceOnRepeating(action: Action): string {
  return isRepeatable(action)
    ? 'It is safe to call again.'
    : 'It may have been carried out all the same: look with the matching list operation before calling again.';
}
