import { isIdempotent, type OperationName } from '@tastegraph/contract/endpoints';

/** An operation, or the token request for one. */
export type Action = OperationName | 'token';

/** For errors after which the client cannot know whether the operation was executed. */
export function retryAdvice(action: Action): string {
  return isIdempotent(action)
    ? 'The call is safe to repeat.'
    : 'The call may have taken effect. Check with the matching list operation before you repeat it.';
}
