import type { Static } from 'typebox';
import type { OperationName } from '../endpoints.ts';
import type { operations } from '../operations/index.ts';

type ExampleRequest<N extends OperationName> = Static<(typeof operations)[N]['request']>;
export type ExampleResponse<N extends OperationName> = Static<(typeof operations)[N]['response']>;

/** A request and its response, as shown in the reference and in OpenAPI. A test checks both against their schemas. */
interface Example<N extends OperationName> {
  readonly request: ExampleRequest<N>;
  /** Other forms of the request worth showing. */
  readonly otherRequests?: readonly ExampleRequest<N>[];
  readonly response: ExampleResponse<N>;
}

export type Examples<N extends OperationName> = { readonly [Name in N]: Example<Name> };
