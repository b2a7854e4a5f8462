import type { TSchema } from 'typebox';
import type { ErrorCode } from '../errors.ts';

/** An operation as data; its method and path stand in `endpoints.ts` under the same name. */
export interface Operation {
  readonly concept: Concept;
  readonly summary: string;
  /** What the summary has no room for, in Markdown. */
  readonly description?: string;
  /** The JSON body; for GET, the query string. */
  readonly request: TSchema;
  readonly response: TSchema;
  /** Beside those that every operation may answer: see `commonErrors`. */
  readonly errors: readonly ErrorCode[];
  /** Further addresses of the same call. */
  readonly aliases?: readonly string[];
}

/** What belongs together in the documentation, in the order in which a developer meets it. */
export const concepts = [
  'Datasets',
  'Records',
  'Projects',
  'Algorithms',
  'Jobs',
  'Models',
  'Recommendation',
] as const;

type Concept = (typeof concepts)[number];

export const commonErrors = [
  'INVALID_REQUEST',
  'UNAUTHENTICATED',
  'SCOPE_MISSING',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

/** Of a download: no operation, since it takes no token. */
export const downloadErrors = [
  'NOT_FOUND',
  'RANGE_NOT_SATISFIABLE',
  'INTERNAL',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

/** Beside `commonErrors`, for every operation that has a body. */
export const bodyErrors = [
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorCode[];
