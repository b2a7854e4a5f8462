import Type from 'typebox';
import { Closed, Named } from './fields.ts';

export const TokenRequest = Named(
  'TokenRequest',
  Type.Object({
    grant_type: Type.Optional(
      Type.Literal('client_credentials', {
        description: 'The grant type. Only `client_credentials` is supported.',
      }),
    ),
    client_id: Type.String({ description: 'The API key.' }),
    client_secret: Type.String({
      description: 'The secret of the API key, which is shown once when the key is created.',
    }),
    scope: Type.String({
      description:
        'The paths of the operations to allow, separated by spaces, such as `/upsert-dataset-events /get-job`.',
    }),
  }),
);

export const TokenResponse = Named(
  'TokenResponse',
  Closed({
    access_token: Type.String({
      description: 'The token. Send it in the header `Authorization: Bearer <token>`.',
    }),
    token_type: Type.Literal('Bearer', { description: 'The type of the token.' }),
    expires_in: Type.Integer({ description: 'The lifetime of the token in seconds.' }),
    scope: Type.String({ description: 'The paths of the operations that the token allows.' }),
  }),
);

/** The token endpoint returns the errors of RFC 6749, section 5.2. */
export const TokenError = Named(
  'TokenError',
  Type.Object({
    error: Type.Enum(['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope'], {
      description: 'The error code, as defined in RFC 6749, section 5.2.',
    }),
    error_description: Type.String({ description: 'What is wrong, in words.' }),
  }),
);

export const Jwks = Named(
  'Jwks',
  Closed({
    keys: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
      description: 'The public keys, as JSON Web Keys (RFC 7517).',
    }),
  }),
);
