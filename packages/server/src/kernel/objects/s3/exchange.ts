import { S3ServiceException } from '@aws-sdk/client-s3';
import { ObjectStoreError, type ObjectStoreErrorKind } from '../error.ts';
import { type StepLimits, step } from '../step.ts';

/** Codes below 500 worth a retry: the request came late or corrupted, or the upload was cleaned up meanwhile. */
const RETRYABLE = [
  'RequestTimeout',
  'BadDigest',
  'NoSuchUpload',
  'SlowDown',
  'TooManyRequests',
  'XAmzContentSHA256Mismatch',
];

/** Sends one request to S3 within the limits; its errors become ours. */
export function callS3<T>(
  limits: StepLimits,
  what: string,
  send: (options: { abortSignal: AbortSignal }) => Promise<T>,
): Promise<T> {
  return step(limits, what, (abortSignal) =>
    send({ abortSignal }).catch((error: unknown) => {
      throw explainS3(error, what);
    }),
  );
}

export function explainS3(error: unknown, what: string): unknown {
  if (error instanceof ObjectStoreError) return error;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ObjectStoreError(kindOf(error), `${what}: ${message}`, { cause: error });
}

function kindOf(error: unknown): ObjectStoreErrorKind {
  // Without credentials no request is sent. Any other error that is not an S3 response is a network error.
  if (!(error instanceof S3ServiceException)) {
    return error instanceof Error && error.name === 'CredentialsProviderError' ? 'refused' : 'unavailable';
  }
  const status = error.$metadata.httpStatusCode ?? 0;
  if (RETRYABLE.includes(error.name) || status < 400 || status === 429 || status >= 500) return 'unavailable';
  // A missing bucket is a configuration error; it does not mean that the object is absent.
  return status === 404 && error.name !== 'NoSuchBucket' ? 'absent' : 'refused';
}
