import type { OperationName, operations, Request, Response } from '@tastegraph/contract';
import type { QuestionCall } from '../call/question-call.ts';

type Operations = typeof operations;

/** The operations of the concept Recommendation. */
export type QuestionName = {
  [Name in OperationName]: Operations[Name]['concept'] extends 'Recommendation' ? Name : never;
}[OperationName];

/**
 * Answers a call whose project is resolved and whose qps is checked. The caller adds the `recommendation_id`. Undefined
 * if nothing is deployed.
 */
export type Question<Name extends QuestionName> = (
  call: QuestionCall,
  request: Request<Name>,
) => Promise<Omit<Response<Name>, 'recommendation_id'> | undefined>;
