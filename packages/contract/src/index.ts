import type { Static } from 'typebox';
import type { TokenResponse as TokenResponseSchema } from './concepts/api-keys.ts';
import type { operations } from './concepts/index.ts';
import type {
  EventChange as EventChangeSchema,
  EventRecord as EventRecordSchema,
  ItemRecord as ItemRecordSchema,
  UserRecord as UserRecordSchema,
} from './concepts/records.ts';
import type { OperationName } from './endpoints.ts';
import type { Problem as ProblemSchema } from './errors.ts';

export { type AlgorithmType, algorithms, type ParametersOf } from './algorithms/index.ts';
export type { DegradedPart, MessageCode, ShortfallCode } from './concepts/answer-codes.ts';
export type { AttributeKind, DatasetKind } from './concepts/datasets.ts';
export type { ExperimentMetric, ExperimentVerdict } from './concepts/experiments.ts';
export { operations } from './concepts/index.ts';
export { type JobData, type JobResult, jobContracts, type SubmitRequest } from './concepts/jobs.ts';
export { EventChange, EventRecord, ItemRecord, UserRecord } from './concepts/records.ts';
export { type ScenarioQuestion, scenarioQuestions } from './concepts/scenarios.ts';
export type { ScheduledType } from './concepts/schedules.ts';
export { type WebhookEvent, webhookEvents } from './concepts/webhooks.ts';
export {
  type ConsoleSession,
  consolePaths,
  emailPattern,
  type OidcErrorCode,
  RedeemLink,
  SetPassword,
  SignIn,
  type SignInOptions,
  SignOut,
} from './console.ts';
export {
  downloadsPath,
  endpoints,
  type JobType,
  jobTypes,
  jwksPath,
  type OperationName,
  operationNames,
  type Role,
  roleIncludes,
  roles,
  type SubmitName,
  submitNameOf,
  tokenPath,
} from './endpoints.ts';
export { type ErrorCode, errorCodes, type FailureCode, failureCodes } from './errors.ts';
export { AttributeName } from './fields.ts';
export { apiKeyPattern, type IdKind, idPrefixes, writeKeyPattern } from './ids.ts';
export { limits, vectorLength } from './limits.ts';
export { buildOpenApi } from './openapi.ts';
export type { Operation } from './operation.ts';
export { nullableFields } from './optional-fields.ts';
export { type SegmentCall, segmentPaths } from './segment.ts';

export type Request<N extends OperationName> = Static<(typeof operations)[N]['request']>;
export type Response<N extends OperationName> = Static<(typeof operations)[N]['response']>;
export type UserRecord = Static<typeof UserRecordSchema>;
export type ItemRecord = Static<typeof ItemRecordSchema>;
export type EventRecord = Static<typeof EventRecordSchema>;
export type EventChange = Static<typeof EventChangeSchema>;
export type Problem = Static<typeof ProblemSchema>;
export type TokenResponse = Static<typeof TokenResponseSchema>;
