export type {
  ErrorCode,
  EventChange,
  EventRecord,
  FailureCode,
  ItemRecord,
  Problem,
  Request,
  Response,
  UserRecord,
} from '@tastegraph/contract';
export { type JobType, jobTypes, type OperationName, type RemovalName } from '@tastegraph/contract/endpoints';
export { Tastegraph } from './client.ts';
export {
  ApiError,
  AuthError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  TastegraphError,
  TimeoutError,
  ValidationError,
} from './errors.ts';
export type { Action } from './idempotency.ts';
export type { RecordSource } from './import/import-records.ts';
export {
  ImportError,
  type ImportFailure,
  type ImportOptions,
  type ImportProgress,
  type ImportReport,
} from './import/report.ts';
export {
  type Job,
  JobCanceledError,
  JobFailedError,
  type JobToWaitFor,
  type SucceededJob,
  type WaitOptions,
} from './jobs.ts';
export type { ApiErrorCode } from './next-steps.ts';
export type { Answer, CallOptions, Operations } from './operations.ts';
export type { TastegraphOptions } from './options.ts';
export type { Listed, ListName, ListRequest } from './pages.ts';
export { isTransient } from './retry.ts';
export { timeLeftOf } from './time-left.ts';
export { type GivenAnswer, withRecommendation } from './with-recommendation.ts';
