import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '../http/app.ts';
import { createCallLimits } from '../http/call-limits.ts';
import type { WrittenEvents } from '../http/context.ts';
import type { Handlers } from '../http/handlers.ts';
import { queueSeconds, refusedCalls } from '../http/metrics.ts';
import { openPageTokens, type PageTokens } from '../http/page-tokens.ts';
import type { HttpPart } from '../http/part.ts';
import { modules } from './modules.ts';
import type { Runtime } from './run.ts';

/** Serves these operations, what modules add to them, documentation and health checks. Returns the address it listens on. */
export async function startHttp(
  runtime: Runtime,
  handlers: Handlers,
  pageTokens?: PageTokens,
): Promise<string> {
  const { config, log, metrics, db, queue, hooks, closers, stopping } = runtime;
  const parts: HttpPart[] = [];
  // One after the other, so that what they close has an order.
  for (const { http } of modules) if (http) parts.push(await (await http())(runtime));
  const usage: WrittenEvents = {
    eventsWritten(datasetKey, events) {
      for (const part of parts) part.usage?.eventsWritten(datasetKey, events);
    },
  };
  const app = buildApp({
    handlers,
    work: { db, queue, stopping, usage, hooks, pageTokens: pageTokens ?? (await openPageTokens(db)) },
    parts,
    limits: createCallLimits({
      connections: runtime.callConnections,
      onQueued: (callClass, waitedMs) => metrics.observe(queueSeconds, { class: callClass }, waitedMs / 1000),
      onRefused: (callClass, reason) => metrics.add(refusedCalls, { class: callClass, reason }),
    }),
    log,
    metrics,
    trustProxy: config.trustProxy,
    readiness: runtime.readiness,
  });
  const drainMs = config.drainSeconds * 1000;
  // First /readyz reports "not ready" while calls are still accepted. Then requests in flight are answered; the longest
  // statement ends within its own timeout.
  closers.add('http', drainMs + 35_000, async () => {
    await sleep(drainMs);
    await app.close();
  });
  const address = await app.listen({ host: config.host, port: config.port });
  log.info({ address }, 'listening');
  return address;
}
