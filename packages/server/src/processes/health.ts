import { defaultHost, defaultPort, localOrigin } from '../kernel/lib/listen-address.ts';

/** Longer than /readyz waits for the database. The caller of the command has its own timeout. */
const limitMs = 5000;

/**
 * For container health checks, since the image has no curl. Returns 0 if the process on this machine is ready. Reads its
 * settings directly: loading the schemas would triple the CPU time of a check that runs every few seconds.
 */
export async function runHealth(role: string | undefined): Promise<number> {
  const { HOST, PORT, METRICS_PORT } = process.env;
  // A worker has no API port, so it answers on its metrics port.
  const port = role === 'worker' ? METRICS_PORT : PORT || defaultPort;
  if (!port)
    return fail('METRICS_PORT is not set. Set it to the same port for the worker and for "health worker".');
  const url = `${localOrigin(HOST || defaultHost, port)}/readyz`;
  try {
    const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(limitMs) });
    return ok ? 0 : fail(`${url} returned ${status}`);
  } catch (error) {
    const { cause, message } = error as Error;
    return fail(`${url} did not answer: ${cause instanceof Error ? cause.message : message}`);
  }
}

function fail(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}
