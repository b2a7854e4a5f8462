import type { OperationName } from '@tastegraph/contract';
import type { FastifyRequest } from 'fastify';
import type { WriteScope } from './write-scope.ts';

/** Who is calling. */
export interface Identity {
  readonly accountId: string;
  /** The API key, or the ID of the person. */
  readonly callerId: string;
  /** Absent for a call with an API key. */
  readonly person?: { readonly personId: string; readonly email: string };
  /** Whether the key, or the role of the person, allows an operation. */
  readonly mayCall: (path: string) => boolean;
  /** Only for a call with a write key. */
  readonly writeScope?: WriteScope;
}

/** The route that is called. A route that is no operation accepts write keys only. */
export interface Called {
  readonly path: string;
  readonly operation: OperationName | undefined;
}

/** Identifies the caller before the body is read. Undefined if the request has no credentials of this kind. Throws if they are wrong. */
export type Identify = (request: FastifyRequest, called: Called) => Promise<Identity | undefined>;

/** What a use case knows about the caller. */
export function callerOf({ accountId, callerId, mayCall, writeScope }: Identity) {
  return { accountId, callerId, mayCall, ...(writeScope && { writeScope }) };
}

/** Undefined for a header that is absent or repeated. */
export function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The user name and password of HTTP Basic authentication (RFC 7617). Undefined for another scheme. */
export function parseBasic(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':', 2);
  return { id, secret };
}
