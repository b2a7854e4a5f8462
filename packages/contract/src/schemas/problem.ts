import Type from 'typebox';
import { type ErrorCode, errorCodes } from '../errors.ts';
import { Closed, Named } from './fields.ts';

/** RFC 9457, extended with our code, the invalid fields and the request ID. */
export const Problem = Named(
  'Problem',
  Closed({
    type: Type.String({ description: 'A URI that identifies the error code.' }),
    title: Type.String({ description: 'A short summary of the error code.' }),
    status: Type.Integer({ description: 'The HTTP status code.' }),
    detail: Type.String({ description: 'What went wrong in this call.' }),
    code: Named(
      'ErrorCode',
      Type.Enum(Object.keys(errorCodes) as ErrorCode[], {
        description: 'The error code. Its meaning never changes.',
      }),
    ),
    errors: Type.Array(
      Named(
        'ProblemPlace',
        Closed({
          path: Type.String({ description: 'The path of the field, such as `queries.0.bins`.' }),
          message: Type.String({ description: 'What is wrong with the field.' }),
        }),
      ),
      { description: 'The invalid fields. Empty if the error is not about fields.' },
    ),
    request_id: Type.String({ description: 'The ID of the request. Include it when you report a problem.' }),
    resolve_with: Type.Optional(
      Type.String({
        description: 'The path of the operation that resolves the conflict. Only present with status 409.',
      }),
    ),
  }),
);
