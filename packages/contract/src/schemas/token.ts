import Type from 'typebox';
import { Closed, Named } from './fields.ts';

export const TokenRequest = Named(
  'TokenRequest',
  Type.Object({
    grant_type: Type.Optional(Type.Literal('client_credentials')),
    client_id: Type.String({ description: 'The API key.' }),
    client_secret: Type.String({ description: "The key's secret, shown once when it was made." }),
    scope: Type.String({
      description: 'Operation paths separated by spaces: `/upsert-dataset-events /get-job`.',
    }),
  }),
);

export const TokenResponse = Named(
  'TokenResponse',
  Closed({
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    scope: Type.String(),
  }),
);

/** Errors of the token endpoint are those of RFC 6749, section 5.2. */
export const TokenError = Named(
  'TokenError',
  Type.Object({
    error: Type.Enum(['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope']),
    error_description: Type.String(),
  }),
);

export const Jwks = Named(
  'Jwks',
  Closed({ keys: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' })) }),
);
