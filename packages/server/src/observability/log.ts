import { type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * JSON lines on stdout. Callers name the fields they log; headers, bodies and query strings are never among
 * them, so that no secret, token or key can reach a log. Of an error only what is ours to see is kept: a
 * driver's error may carry the values of a statement in further fields.
 */
export function createLog(level: string, role: string): Log {
  return pino({
    level,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: errorFields },
  });
}

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: errorFields(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...code, ...cause };
}
