import type { Request, Response } from '@tastegraph/contract';
import type { QuestionCall } from '../call/question-call.ts';
import type { QuestionName } from '../ports.ts';

/**
 * Answers a call whose project is resolved and whose qps is checked. The caller adds the `recommendation_id`. Undefined
 * if nothing is deployed.
 */
export type Question<Name extends QuestionName> = (
  call: QuestionCall,
  request: Request<Name>,
) => Promise<Omit<Response<Name>, 'recommendation_id'> | undefined>;
