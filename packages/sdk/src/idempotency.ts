import type { OperationName } from '@tastegraph/contract/endpoints';
import type { RemovalName } from './operations.ts';

/** An operation, or the token request for one. */
export type Action = OperationName | 'token';

/** Creates and submits create a new object each time, and a rollback goes one step further back. All other operations are idempotent. */
export function isIdempotent(action: Action): boolean {
  return !/^(create|submit|rollback)[A-Z]/.test(action);
}

export function isRemoval(action: Action): action is RemovalName {
  return /^delete(?!Dataset)/.test(action);
}

/** For errors after which the client cannot know whether the operation was executed. */
export function retryAdvice(action: Action): string {
  return isIdempotent(action)
    ? 'The call is safe to repeat.'
    : 'The call may have taken effect. Check with the matching list operation before you repeat it.';
}
