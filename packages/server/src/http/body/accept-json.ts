import { limits } from '@tastegraph/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyRules } from './body-rules.ts';
import { ByteBudget, type Reservation } from './byte-budget.ts';
import { decompress } from './decompress.ts';
import { parseBody } from './parse-body.ts';
import { readBody } from './read-body.ts';

const totalBytes = 8 * limits.bodyBytes;

/** Enough for a thousand full batches of ordinary records. An account may use a quarter, which is two of the largest bodies. */
const budget = { totalBytes, accountBytes: totalBytes / 4, smallBytes: limits.smallBodyBytes };

/** Long enough for TCP to retransmit a lost packet several times. */
const stallMs = 15_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Size of the body, decompressed. */
    bodyBytes: number;
    bodyReservation: Reservation | null;
  }
  interface FastifyContextConfig {
    body?: BodyRules;
  }
}

const defaultRules: BodyRules = { maxBytes: limits.smallBodyBytes, list: undefined };

/** Of one server: all its routes share it. */
export const openBodyBudget = () => new ByteBudget(budget);

/** Accepts JSON in UTF-8, plain or gzip. A body that is too large is refused while it is being read or decompressed. */
export function acceptJson(app: FastifyInstance, bytes = openBodyBudget()): void {
  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('bodyReservation', null);
  app.addHook('preParsing', async (request, reply, payload) => {
    const { 'content-length': announced, 'transfer-encoding': coding } = request.headers;
    if (announced === undefined && coding === undefined) return payload;
    const reservation = bytes.open(accountOf(request));
    request.bodyReservation = reservation;
    // Emitted once per request. Fastify's onResponse does not run if the caller disconnects.
    reply.raw.once('close', () => reservation.release());
    return payload;
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    async (request: FastifyRequest, payload: NodeJS.ReadableStream) => {
      const { headers, bodyReservation } = request;
      const rules = request.routeOptions.config.body ?? defaultRules;
      const { maxBytes } = rules;
      const account = accountOf(request);
      const announced = headers['content-length'];
      const reserve = (count: number) => bodyReservation?.reserve(count);
      const raw = await readBody(payload, {
        maxBytes,
        announcedBytes: announced === undefined ? undefined : Number(announced),
        reserve,
        stallMs,
      });
      const body = await decompress(raw, {
        encoding: headers['content-encoding'],
        maxBytes,
        list: rules.list,
        // The compressed bytes are freed once the body is decompressed.
        reserve: (decompressed) => reserve(Math.max(raw.length, decompressed)),
        account,
      });
      reserve(body.length);
      request.bodyBytes = body.length;
      return parseBody(body, rules, account);
    },
  );
}

/** Bodies are read only after authentication. */
function accountOf({ identity }: FastifyRequest): string {
  return identity?.accountId ?? '';
}
