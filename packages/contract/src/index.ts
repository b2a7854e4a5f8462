import type { Static } from 'typebox';
import type { OperationName } from './endpoints.ts';
import type { operations } from './operations/index.ts';
import type { Problem as ProblemSchema } from './schemas/problem.ts';
import type {
  EventChange as EventChangeSchema,
  EventRecord as EventRecordSchema,
  ItemRecord as ItemRecordSchema,
  UserRecord as UserRecordSchema,
} from './schemas/record.ts';
import type { TokenResponse as TokenResponseSchema } from './schemas/token.ts';

export { type AlgorithmType, algorithms, type ParametersOf } from './algorithms/index.ts';
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
export { apiKeyPattern, type IdKind, idPrefixes, writeKeyPattern } from './ids.ts';
export { type JobData, type JobResult, jobContracts, type SubmitRequest } from './jobs/registry.ts';
export { limits } from './limits.ts';
export { buildOpenApi } from './openapi.ts';
export { operations } from './operations/index.ts';
export type { Operation } from './operations/operation.ts';
export { nullableFields } from './optional-fields.ts';
export { type AttributeKind, type DatasetKind, vectorLength } from './schemas/dataset.ts';
export type { ExperimentMetric, ExperimentVerdict } from './schemas/experiment.ts';
export { AttributeName } from './schemas/fields.ts';
export { EventChange, EventRecord, ItemRecord, UserRecord } from './schemas/record.ts';
export { type ScenarioQuestion, scenarioQuestions } from './schemas/scenario.ts';
export type { ScheduledType } from './schemas/schedule.ts';
export { type WebhookEvent, webhookEvents } from './schemas/webhook.ts';
export { type SegmentCall, segmentPaths } from './segment.ts';

export type Request<N extends OperationName> = Static<(typeof operations)[N]['request']>;
export type Response<N extends OperationName> = Static<(typeof operations)[N]['response']>;
export type UserRecord = Static<typeof UserRecordSchema>;
export type ItemRecord = Static<typeof ItemRecordSchema>;
export type EventRecord = Static<typeof EventRecordSchema>;
export type EventChange = Static<typeof EventChangeSchema>;
export type Problem = Static<typeof ProblemSchema>;
export type TokenResponse = Static<typeof TokenResponseSchema>;
