import { limits, type SegmentCall, segmentPaths } from '@tastegraph/contract';
import type { FastifyInstance } from 'fastify';
import { upsertRecords } from '../datasets/records/upsert-records.ts';
import { invalidBody } from '../http/body/body-rules.ts';
import type { Context } from '../http/context.ts';
import { callerOf } from '../http/identity.ts';
import type { FrontDoor } from '../http/part.ts';
import type { Metrics } from '../kernel/observability/metrics.ts';
import { type MappedMessages, mapMessages } from './map-messages.ts';
import { segmentMessages } from './metrics.ts';

/** How many failures the response lists. */
const maxFailures = 100;

/**
 * Accepts what Segment's clients send: the HTTP Tracking API, with a write key as the user name of Basic authentication. It
 * answers 200 whenever it has read the messages, also if none is of use: clients repeat everything else.
 */
export function serveSegment(app: FastifyInstance, door: FrontDoor, metrics: Metrics): void {
  void app.register(async (scope) => {
    door.acceptJson(scope);
    serveCalls(scope, door, metrics);
  });
}

function serveCalls(app: FastifyInstance, door: FrontDoor, metrics: Metrics): void {
  const calls = Object.entries(segmentPaths) as [SegmentCall, string][];
  for (const [type, url] of calls)
    app.route({
      method: 'POST',
      url,
      config: { body: { maxBytes: limits.segmentBodyBytes, list: undefined }, isRecommendation: false },
      onRequest: async (request) => {
        request.identity = await door.identify(request, { path: url, operation: undefined });
      },
      handler: async (request, reply) => {
        const { identity } = request;
        if (!identity) throw new Error('the caller was not identified');
        const { messages, sentAt } = messagesOf(type, request.body);
        const facts = { projectId: undefined, isDegraded: false };
        const call = { ...door.work, ...callerOf(identity), requestId: request.id, facts };
        const { written, ignored, failures } = await door.limits.run(
          'upsertDatasetEvents',
          identity.accountId,
          () => writeMessages(call, messages, sentAt),
          (drop) => void reply.raw.once('close', drop),
        );
        const ignoredCount = Object.values(ignored).reduce((sum, count) => sum + count, 0);
        metrics.add(segmentMessages, { outcome: 'written' }, written);
        metrics.add(segmentMessages, { outcome: 'ignored' }, ignoredCount);
        metrics.add(segmentMessages, { outcome: 'failed' }, failures.length);
        if (ignoredCount + failures.length > 0)
          request.log.info({ written, ignored, failed: failures.length }, 'messages without effect');
        return {
          success: true,
          written,
          ignored,
          failed_count: failures.length,
          failures: failures.slice(0, maxFailures),
        };
      },
    });
}

function messagesOf(type: SegmentCall, body: unknown): { messages: readonly unknown[]; sentAt?: unknown } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidBody('The body must be a JSON object.');
  if (type !== 'batch' && type !== 'import') return { messages: [{ ...body, type }] };
  const { batch, sentAt } = body as { batch?: unknown; sentAt?: unknown };
  if (!Array.isArray(batch)) throw invalidBody('batch must be an array of messages.');
  return { messages: batch as unknown[], sentAt };
}

/** Writes messages of Segment's clients to the datasets of the write key. A repetition changes nothing. */
async function writeMessages(ctx: Context, messages: readonly unknown[], sentAt: unknown) {
  const { writeScope } = ctx;
  if (!writeScope) throw new Error('the caller has no write key');
  const { eventDatasetId, userDatasetId } = writeScope;
  const received = { receivedAtMs: Date.now(), sentAt, hasUsers: userDatasetId !== null };
  const { events, users, failed: failures, ignored } = mapMessages(messages, received);
  let written = 0;
  const write = async (
    records: MappedMessages['events'],
    upsert: (records: readonly unknown[]) => ReturnType<typeof upsertRecords>,
  ) => {
    for (let start = 0; start < records.length; start += limits.recordsPerCall) {
      const part = records.slice(start, start + limits.recordsPerCall);
      const outcome = await upsert(part.map(({ record }) => record));
      written += outcome.succeed_ids.length;
      for (const failure of outcome.failures)
        failures.push({ ...failure, index: part[failure.index]?.index ?? 0 });
    }
  };
  await write(events, (records) => upsertRecords(ctx, 'event', eventDatasetId, records));
  if (userDatasetId !== null)
    await write(users, (records) => upsertRecords(ctx, 'user', userDatasetId, records, { mode: 'MERGE' }));
  return { written, ignored: Object.fromEntries(ignored), failures };
}
