import { type ErrorCode, jwksPath, limits, tokenPath } from '@tastegraph/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../domain/fault.ts';
import { issueToken, type TokenIssuer, TokenRefusal } from '../domain/token/issue-token.ts';
import { parseJson } from '../lib/json.ts';
import { decompress } from './body.ts';

const bodyCodes: ReadonlySet<ErrorCode> = new Set([
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INVALID_REQUEST',
]);

/**
 * OAuth 2.0 client credentials (RFC 6749, section 4.4) and the keys to verify the tokens with. The client's id
 * and secret come in the body, as a form or JSON, or by HTTP Basic.
 */
export function serveTokens(app: FastifyInstance, issuing: TokenIssuer): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'application/json'],
      { parseAs: 'buffer', bodyLimit: limits.tokenBodyBytes },
      async ({ headers }: FastifyRequest, raw: Buffer) => {
        const body = await decompress(headers['content-encoding'], raw, limits.tokenBodyBytes);
        return parseFields(headers['content-type'], body.toString());
      },
    );

    scope.setErrorHandler((error, _request, reply) => {
      if (error instanceof TokenRefusal) return refuse(reply, error);
      if (!isBodyRefusal(error)) throw error;
      const most = `Send a form or JSON of at most ${limits.tokenBodyBytes} bytes.`;
      return refuse(reply, new TokenRefusal('invalid_request', most));
    });

    scope.post(tokenPath, async (request, reply) => {
      // RFC 6749, section 5.1: a token must not be kept by what lies between.
      void reply.header('Cache-Control', 'no-store');
      const fields = (request.body ?? {}) as Record<string, string>;
      const basic = parseBasic(request.headers.authorization);
      return issueToken(issuing, {
        grantType: fields['grant_type'] ?? 'client_credentials',
        clientId: basic?.id ?? required(fields, 'client_id'),
        clientSecret: basic?.secret ?? required(fields, 'client_secret'),
        scope: fields['scope'] ?? '',
        address: request.ip,
      });
    });

    scope.get(jwksPath, async (_request, reply) => {
      // Short: after a rotation a verifier that meets an unknown key comes back for it.
      void reply.header('Cache-Control', 'public, max-age=60');
      return { keys: await issuing.signingKeys.publicJwks() };
    });
  });
}

/** The body was not read: too large, or of another type or encoding. */
function isBodyRefusal(error: unknown): boolean {
  if (error instanceof Fault) return bodyCodes.has(error.code);
  return (error as Partial<FastifyError>).code?.startsWith('FST_ERR_CTP_') ?? false;
}

function refuse(reply: FastifyReply, { error, message }: TokenRefusal): FastifyReply {
  if (error === 'invalid_client') void reply.header('WWW-Authenticate', 'Basic realm="tastegraph"');
  // RFC 6749, section 5.2, allows no other characters here; what the caller sent may hold any.
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
    throw new TokenRefusal('invalid_request', 'The body is not JSON.');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new TokenRefusal('invalid_request', 'The body must be a JSON object.');
  }
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, text(name, value)]));
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TokenRefusal('invalid_request', `${name.slice(0, 100)} must be a string.`);
}

function required(fields: Record<string, string>, name: string): string {
  const value = fields[name];
  if (value) return value;
  throw new TokenRefusal('invalid_request', `${name} is missing.`);
}

function parseBasic(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':', 2);
  return { id, secret };
}
