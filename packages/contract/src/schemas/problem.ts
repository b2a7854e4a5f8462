import Type from 'typebox';
import { type ErrorCode, errorCodes } from '../errors.ts';
import { Closed, Named } from './fields.ts';

/** RFC 9457, with our code, the places of bad input, and the request's id. */
export const Problem = Named(
  'Problem',
  Closed({
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Named('ErrorCode', Type.Enum(Object.keys(errorCodes) as ErrorCode[])),
    errors: Type.Array(Named('ProblemPlace', Closed({ path: Type.String(), message: Type.String() }))),
    request_id: Type.String(),
  }),
);
