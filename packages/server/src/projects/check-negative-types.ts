import { ApiError } from '../http/api-error.ts';

/** Throws if the target event type is negative. Types that never occur are allowed. */
export function checkNegativeTypes(negativeTypes: readonly string[], targetType: string): void {
  const place = negativeTypes.indexOf(targetType);
  if (place === -1) return;
  const message = 'cannot be the target event type';
  throw new ApiError('INVALID_REQUEST', `negative_event_types[${place}] ${message}.`, {
    errors: [{ path: `negative_event_types[${place}]`, message }],
  });
}
