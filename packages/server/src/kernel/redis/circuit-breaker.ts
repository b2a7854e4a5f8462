import { setImmediate as nextTick } from 'node:timers/promises';
import { within } from '../lib/within.ts';

export interface CircuitBreaker {
  /** The result of the request; undefined if it fails, takes longer than `timeoutMs`, or the circuit is open. */
  call<T>(request: () => Promise<T>): Promise<T | undefined>;
}

interface CircuitBreakerOptions {
  readonly timeoutMs: number;
  /** How long no ping is sent after a failed one. */
  readonly pauseMs: number;
  /** A cheap request, sent in the background: no caller waits to learn that the service is still down. */
  readonly ping: () => Promise<unknown>;
  readonly onChange: (isOpen: boolean) => void;
}

/** A busy process runs timers before it reads from sockets: it forms a batch, then sends it, then reads what has arrived. */
const ticksToRead = 3;

/**
 * Stops calling a service that does not respond in time. It resumes as soon as a late response arrives and a ping
 * succeeds, or else pings after a pause. Uses no timers between calls, so there is nothing to close.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { timeoutMs, pauseMs, ping, onChange } = options;
  let isOpen = false;
  let isPinging = false;
  let pingAt = 0;

  const setOpen = (open: boolean) => {
    if (open) pingAt = performance.now() + pauseMs;
    if (open === isOpen) return;
    isOpen = open;
    onChange(open);
  };
  const retry = () => {
    // One ping at a time: pings to a service that hangs would pile up.
    if (!isOpen || isPinging) return;
    isPinging = true;
    const onSettled = () => {
      isPinging = false;
    };
    const response = ping();
    response.then(onSettled, onSettled);
    withTimeout(response, timeoutMs).then(
      () => setOpen(false),
      () => setOpen(true),
    );
  };

  return {
    async call(request) {
      if (isOpen) {
        if (performance.now() >= pingAt) retry();
        return undefined;
      }
      const response = request();
      try {
        return await withTimeout(response, timeoutMs);
      } catch {
        setOpen(true);
        // A response that still arrives means a short stall: retry at once.
        response.then(retry, () => undefined);
        return undefined;
      }
    },
  };
}

async function withTimeout<T>(response: Promise<T>, timeoutMs: number): Promise<T> {
  try {
    return await within(timeoutMs, response);
  } catch (timeout) {
    const rejectAfterTicks = async (): Promise<never> => {
      for (let tick = 0; tick < ticksToRead; tick++) await nextTick();
      throw timeout;
    };
    return Promise.race([response, rejectAfterTicks()]);
  }
}
