import { type ErrorCode, jwksPath, limits, tokenPath } from '@tastegraph/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import { decompress } from '../http/body/decompress.ts';
import { type Called, type Identity, parseBasic, singleHeader } from '../http/identity.ts';
import type { HttpPart } from '../http/part.ts';
import { parseJson } from '../kernel/lib/json.ts';
import { createRateLimit } from '../kernel/redis/token-bucket.ts';
import type { Services } from '../services.ts';
import { Authenticator } from './authenticate.ts';
import { issueToken, TokenError, type TokenIssuer } from './issue-token.ts';
import { KeyUses, writeKeyUses } from './key-uses.ts';
import { parseWriteKey, type SentWriteKey } from './secrets.ts';
import { SigningKeys } from './signing-keys.ts';
import { WriteKeys } from './write-keys.ts';

/**
 * Token requests per minute. A client needs one token per hour for each set of scopes; a fleet with one key needs more when it
 * starts. Secrets have 256 random bits, so guessing is hopeless. Limits on failures reduce the load on logs and the database
 * (a guess costs one indexed read and one SHA-256, 0.2 ms) and must not become a way to lock others out:
 * - One key from one address: after 20 failures, only that pair is blocked.
 * - One key from many addresses: each pair has its own 20 failures, so the owner's address is not blocked.
 * - Many keys from one address: after 600 failures in total, further ones get 429 instead of 401. A caller with the right
 *   secret still gets a token, even behind a proxy that hides many callers.
 */
const perMinute = { seconds: 60, timeoutMs: 500 };
const tokensIssued = { ...perMinute, name: 'tokens-issued', limit: 300 };
const failuresOfPair = { ...perMinute, name: 'tokens-failed-pair', limit: 20 };
const failuresOfAddress = { ...perMinute, name: 'tokens-failed-address', limit: 600 };

/** The share of the memory for verified tokens, and as much again for API keys and for write keys. */
const tokensShare = 0.005;
const minTokenBytes = 4e6;

/** Identifies callers by their keys, and issues tokens. */
export function http({ config, controlDb, reads, redis, log, closers, stopping }: Services): HttpPart {
  const signingKeys = new SigningKeys(reads.control);
  const keyUses = new KeyUses((uses) => writeKeyUses(controlDb, uses));
  const onLost = (error: unknown) => log.warn({ err: error }, 'the last use of API keys was not written');
  const onUse = (apiKey: string) => keyUses.note(apiKey);
  closers.add('uses of API keys', 5000, keyUses.start(stopping, onLost));
  const cacheBytes = Math.max(minTokenBytes, config.serving.memoryBytes * tokensShare);
  const keys = {
    authenticator: new Authenticator(reads.control, signingKeys, { cacheBytes, onUse }),
    writeKeys: new WriteKeys(controlDb, { cacheBytes, onUse }),
  };
  const limits = {
    issued: createRateLimit(redis, tokensIssued),
    failuresOfPair: createRateLimit(redis, failuresOfPair),
    failuresOfAddress: createRateLimit(redis, failuresOfAddress),
  };
  return {
    identify: (request, called) => identifyKey(keys, request, called),
    surface: (app) => serveTokens(app, { db: reads.control, signingKeys, onUse, limits }),
  };
}

/** Identifies the caller by write key, or by API key and token. Routes that are no operations accept write keys only. */
async function identifyKey(
  { authenticator, writeKeys }: { readonly authenticator: Authenticator; readonly writeKeys: WriteKeys },
  request: FastifyRequest,
  { path, operation }: Called,
): Promise<Identity> {
  const { authorization } = request.headers;
  const apiKey = singleHeader(request, 'apikey');
  const writeKey = writeKeyOf(authorization);
  if (writeKey) return writeKeys.authenticate(writeKey, apiKey, path);
  if (operation !== undefined) return authenticator.authenticate(authorization, apiKey, path);
  throw new ApiError(
    'UNAUTHENTICATED',
    'The write key is missing or malformed. Send it as the user name of HTTP Basic authentication, with an empty password. /create-write-key creates one.',
  );
}

/** As a bearer token, or as the user name of Basic authentication, whose password is ignored. */
function writeKeyOf(authorization: string | undefined): SentWriteKey | undefined {
  const sent = /^Bearer (\w+)$/i.exec(authorization ?? '')?.[1] ?? parseBasic(authorization)?.id;
  return sent === undefined ? undefined : parseWriteKey(sent);
}

const bodyCodes: ReadonlySet<ErrorCode> = new Set([
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INVALID_REQUEST',
]);

/** OAuth 2.0 client credentials (RFC 6749, section 4.4), by form, JSON or HTTP Basic, and the public keys that verify tokens. */
function serveTokens(app: FastifyInstance, tokenIssuer: TokenIssuer): void {
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
