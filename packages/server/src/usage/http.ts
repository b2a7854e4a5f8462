import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpPart } from '../http/part.ts';
import { repeat } from '../kernel/lib/repeat.ts';
import type { Services } from '../services.ts';
import { UsageRecorder } from './usage-recorder.ts';

/** How old the newest counts may be, and what a process that is killed loses. */
const everyMs = 10_000;

/** Counts calls, and the events that they write. */
export function http({ db, log, stopping, closers }: Services): HttpPart {
  const usage = new UsageRecorder();
  const onError = (error: unknown) => log.warn({ err: error }, 'failed to write usage counts; will retry');
  const flushing = repeat({ pauseMs: everyMs, stopping, onError }, async () => {
    await usage.flush(db);
    return false;
  });
  // Closed after the last call was answered, before the database.
  closers.add('usage counts', 5000, async () => {
    await flushing;
    await usage.flush(db).catch(onError);
  });
  return { usage, answered: (request, reply) => countCall(usage, request, reply) };
}

/** Counts calls of operations by callers that are known. */
function countCall(usage: UsageRecorder, request: FastifyRequest, reply: FastifyReply): void {
  const { identity, facts } = request;
  const { isRecommendation } = request.routeOptions.config;
  if (!identity || isRecommendation === undefined) return;
  usage.callAnswered({
    accountId: identity.accountId,
    callerId: identity.callerId,
    projectId: facts?.projectId,
    isRecommendation,
    status: reply.statusCode,
    ms: reply.elapsedTime,
    isDegraded: facts?.isDegraded ?? false,
  });
}
