import { type ErrorCode, jwksPath, limits, tokenPath } from '@tastegraph/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import { decompress } from '../http/body/decompress.ts';
import { parseBasic } from '../http/identity.ts';
import { parseJson } from '../kernel/lib/json.ts';
import { issueToken, TokenError, type TokenIssuer } from './issue-token.ts';

const bodyCodes: ReadonlySet<ErrorCode> = new Set([
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INVALID_REQUEST',
]);

/**
 * OAuth 2.0 client credentials (RFC 6749, section 4.4) and the public keys that verify the tokens. The client ID and secret
 * are sent in the body, as a form or JSON, or by HTTP Basic authentication.
 */
export function serveTokens(app: FastifyInstance, tokenIssuer: TokenIssuer): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'application/json'],
      { parseAs: 'buffer', bodyLimit: limits.tokenBodyBytes },
      async ({ headers }: FastifyRequest, raw: Buffer) => {
        const body = await decompress(raw, {
          encoding: headers['content-encoding'],
          maxBytes: limits.tokenBodyBytes,
          list: undefined,
          reserve: () => undefined,
          account: 'unauthenticated',
        });
        return parseFields(headers['content-type'], body.toString());
      },
    );

    scope.setErrorHandler((error, _request, reply) => {
      if (error instanceof TokenError) return sendError(reply, error);
      if (!isBodyError(error)) throw error;
      const message = `The body cannot be read. Send a form or JSON of at most ${limits.tokenBodyBytes} bytes.`;
      return sendError(reply, new TokenError('invalid_request', message));
    });

    scope.post(tokenPath, async (request, reply) => {
      // RFC 6749, section 5.1: a token must not be cached.
      void reply.header('Cache-Control', 'no-store');
      const fields = (request.body ?? {}) as Record<string, string>;
      const basic = parseBasic(request.headers.authorization);
      return issueToken(tokenIssuer, {
        grantType: fields['grant_type'] ?? 'client_credentials',
        clientId: basic?.id ?? requireField(fields, 'client_id'),
        clientSecret: basic?.secret ?? requireField(fields, 'client_secret'),
        scope: fields['scope'] ?? '',
        address: request.ip,
      });
    });

    scope.get(jwksPath, async (_request, reply) => {
      // Short, so that verifiers soon see a new key after a rotation.
      void reply.header('Cache-Control', 'public, max-age=60');
      return { keys: await tokenIssuer.signingKeys.publicJwks() };
    });
  });
}

/** Whether the body could not be read: it is too large, or its type or encoding is not supported. */
function isBodyError(error: unknown): boolean {
  if (error instanceof ApiError) return bodyCodes.has(error.code);
  return (error as Partial<FastifyError>).code?.startsWith('FST_ERR_CTP_') ?? false;
}

function sendError(reply: FastifyReply, { error, message }: TokenError): FastifyReply {
  if (error === 'invalid_client') void reply.header('WWW-Authenticate', 'Basic realm="tastegraph"');
  // RFC 6749, section 5.2, allows no other characters here, and the message may quote the request.
  const error_description = message.replaceAll('"', "'").replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, '?');
  return reply.code(error === 'invalid_client' ? 401 : 400).send({ error, error_description });
}

function parseFields(contentType: string | undefined, body: string): Record<string, string> {
  if (contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(body));
  }
  let parsed: unknown;
  try {
    parsed = parseJson(body);
  } catch {
    throw new TokenError('invalid_request', 'The body is not valid JSON.');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new TokenError('invalid_request', 'The body must be a JSON object.');
  }
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, requireText(name, value)]));
}

function requireText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TokenError('invalid_request', `${name.slice(0, 100)} must be a string.`);
}

function requireField(fields: Record<string, string>, name: string): string {
  const value = fields[name];
  if (value) return value;
  throw new TokenError(
    'invalid_request',
    `${name} is missing. Send it in the body, or use HTTP Basic authentication.`,
  );
}
