import { createServer } from 'node:net';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the server with `--import`. Measures for how long its event loop is blocked, in CPU time rather than wall-clock
 * time, because on an overloaded machine a thread that is ready also waits for a core.
 */
const everyMs = 5;
const port = process.env['LOOP_PROBE_PORT'];

export interface LoopDelays {
  /** The longest time in CPU time that the thread computed without returning to the event loop. */
  readonly busyMs: number;
  /** The longest delay of a timer, for any reason. */
  readonly lateMs: number;
  /** The longest garbage collection pause, which is included in the others. */
  readonly pauseMs: number;
}

export const noDelays: LoopDelays = { busyMs: 0, lateMs: 0, pauseMs: 0 };

export function maxDelays(a: LoopDelays, b: LoopDelays): LoopDelays {
  return {
    busyMs: Math.max(a.busyMs, b.busyMs),
    lateMs: Math.max(a.lateMs, b.lateMs),
    pauseMs: Math.max(a.pauseMs, b.pauseMs),
  };
}

if (isMainThread && port !== undefined) {
  let delays = noDelays;
  let last = performance.now();
  let cpu = process.threadCpuUsage();
  setInterval(() => {
    const now = performance.now();
    const lateMs = now - last - everyMs;
    const { user, system } = process.threadCpuUsage(cpu);
    last = now;
    cpu = process.threadCpuUsage();
    const busyMs = Math.min(lateMs, (user + system) / 1000);
    delays = maxDelays(delays, { busyMs, lateMs, pauseMs: 0 });
  }, everyMs).unref();
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      delays = maxDelays(delays, { ...noDelays, pauseMs: duration });
  }).observe({ entryTypes: ['gc'] });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(JSON.stringify(delays));
    delays = noDelays;
  });
  server.listen(Number(port), '127.0.0.1').unref();
}
