import { S3ServiceException } from '@aws-sdk/client-s3';
import { ObjectStoreError, type ObjectStoreErrorKind } from '../error.ts';
import { type StepLimits, step } from '../step.ts';

/** Below 500, and yet another try may do: the request came late or broken, or the upload was cleared away meanwhile. */
const PASSING = [
  'RequestTimeout',
  'BadDigest',
  'NoSuchUpload',
  'SlowDown',
  'TooManyRequests',
  'XAmzContentSHA256Mismatch',
];

/** One exchange with S3, its errors explained. */
export function askS3<T>(
  limits: StepLimits,
  what: string,
  ask: (options: { abortSignal: AbortSignal }) => Promise<T>,
): Promise<T> {
  return step(limits, what, (abortSignal) =>
    ask({ abortSignal }).catch((error: unknown) => {
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
  // Without credentials nothing was asked; whatever else is no answer of S3's is the network's.
  if (!(error instanceof S3ServiceException)) {
    return error instanceof Error && error.name === 'CredentialsProviderError' ? 'refused' : 'unavailable';
  }
  const status = error.$metadata.httpStatusCode ?? 0;
  if (PASSING.includes(error.name) || status < 400 || status === 429 || status >= 500) return 'unavailable';
  // That the bucket is missing is an error in the settings, not an answer about the object.
  return status === 404 && error.name !== 'NoSuchBucket' ? 'absent' : 'refused';
}
