import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';

/** An operation as data. Its method and path are in `endpoints.ts` under the same name. */
export interface Operation extends OperationFields {
  readonly concept: Concept;
}

export interface OperationFields {
  readonly summary: string;
  /** Details beyond the summary, in Markdown. */
  readonly description: string;
  /** The JSON body; for GET, the query string. */
  readonly request: TSchema;
  /** The maximum size of the decompressed body. Defaults to `limits.smallBodyBytes`. */
  readonly maxBodyBytes?: number;
  readonly response: TSchema;
  /** In addition to `commonErrors`, which every operation may return. */
  readonly errors: readonly ErrorCode[];
  /** Further paths of the same operation. */
  readonly aliases?: readonly string[];
}

/** The sections of the documentation, in the order in which a developer needs them. */
export const concepts = [
  'Datasets',
  'Records',
  'Projects',
  'Algorithms',
  'Jobs',
  'Models',
  'Scenarios',
  'Recommendation',
  'Experiments',
  'Schedules',
  'Webhooks',
  'Outcomes',
  'Usage',
  'People',
  'API keys',
] as const;

type Concept = (typeof concepts)[number];

export const commonErrors = [
  'INVALID_REQUEST',
  'UNAUTHENTICATED',
  'SCOPE_MISSING',
  'ROLE_MISSING',
  'CSRF_REJECTED',
  'TOO_MANY_REQUESTS',
  'INTERNAL',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

/** The errors of a download, which is not an operation because it takes no token. */
export const downloadErrors = [
  'NOT_FOUND',
  'RANGE_NOT_SATISFIABLE',
  'INTERNAL',
  'UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

/** In addition to `commonErrors`, for every operation with a body. */
export const bodyErrors = [
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorCode[];

/** A request and its response, as shown in the reference and in OpenAPI. A test checks both against their schemas. */
interface Example<O extends OperationFields> {
  readonly request: Static<O['request']>;
  /** Other forms of the request worth showing. */
  readonly otherRequests?: readonly Static<O['request']>[];
  readonly response: Static<O['response']>;
}

/** An operation as the API publishes it. */
export interface DescribedOperation extends Operation {
  readonly example: Example<Operation>;
}

/** Adds the concept and its example to each operation. An operation without an example, or the reverse, does not compile. */
export function defineOperations<C extends Concept, O extends Readonly<Record<string, OperationFields>>>(
  concept: C,
  operations: O,
  examples: { readonly [Name in keyof O]: Example<NoInfer<O>[Name]> },
) {
  const described = Object.entries(operations).map(([name, operation]) => [
    name,
    { ...operation, concept, example: examples[name] },
  ]);
  return Object.fromEntries(described) as {
    readonly [Name in keyof O]: O[Name] & { readonly concept: C; readonly example: Example<O[Name]> };
  };
}
