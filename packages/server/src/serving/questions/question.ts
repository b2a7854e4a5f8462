import type { OperationName, operations, Request, Response } from '@tastegraph/contract';
import type { QuestionCall } from '../question-call.ts';

type Operations = typeof operations;

/** The operations of the concept Recommendation. */
export type QuestionName = {
  [Name in OperationName]: Operations[Name]['concept'] extends 'Recommendation' ? Name : never;
}[OperationName];

/** Answers a call after its project was resolved and its qps checked, except for its ID. Undefined if nothing is deployed. */
export type Question<Name extends QuestionName> = (
  call: QuestionCall,
  request: Request<Name>,
) => Promise<Omit<Response<Name>, 'recommendation_id'> | undefined>;
