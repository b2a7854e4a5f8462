import { type Config, ConfigError } from '../config.ts';

/** Longer than /readyz waits for the database; whoever asks has a limit of its own. */
const limitMs = 5000;

/**
 * For what runs containers, which have no curl: 0 when the process beside us can serve, else 1. A worker takes no
 * calls: that it shows its metrics tells that its main thread lives.
 */
export async function runHealth(config: Config, role: string | undefined): Promise<number> {
  const url = role === 'worker' ? metricsUrl(config) : `${localOrigin(config, config.port)}/readyz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(limitMs) }).catch((error: unknown) => error);
  if (answer instanceof Response && answer.ok) return 0;
  const found =
    answer instanceof Response ? `answered ${answer.status}` : `did not answer: ${reason(answer)}`;
  process.stderr.write(`${url} ${found}\n`);
  return 1;
}

function metricsUrl(config: Config): string {
  if (config.metricsPort === undefined)
    throw new ConfigError(
      'METRICS_PORT is not set. Set it, the same for the worker and for "health worker".',
    );
  return `${localOrigin(config, config.metricsPort)}/metrics`;
}

/** A process that listens on all addresses is asked at its own. */
function localOrigin({ host }: Config, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function reason(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
