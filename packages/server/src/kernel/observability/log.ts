import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Lines wait this long, or until there are this many characters, which fit into one write to a pipe. */
const flushMs = 100;
const flushLength = 4096;
/** If nobody reads stdout, further lines are dropped. */
const maxWaitingBytes = 16 * 1024 * 1024;

/**
 * Writes JSON lines to stdout. Callers choose the fields to log, and never log headers, bodies or query strings, so that no
 * secret, token or key reaches the log. Of an error only known fields are kept: an error of the database driver may have
 * the values of a statement in others.
 */
export function createLog(level: string, role: string): Log {
  const stdout = pino.destination({ sync: false, maxLength: maxWaitingBytes });
  stdout.on('error', () => {
    // A full disk must neither end the process nor keep it from ending: what is left would be retried at exit, forever.
    stdout.flushSync = () => undefined;
  });
  return pino(
    {
      level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
    },
    joinLines(stdout),
  );
}

/** Writing each line alone would take a twentieth of a call's CPU time. A process that is killed loses those of the last 100 ms. */
function joinLines(stdout: DestinationStream): DestinationStream {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    stdout.write(lines);
    lines = '';
  };
  process.on('exit', () => {
    try {
      writeSync(1, lines);
    } catch {
      // Nobody reads the log.
    }
  });
  return {
    write(line) {
      lines += line;
      if (lines.length >= flushLength) flush();
      else timer ??= setTimeout(flush, flushMs).unref();
    },
  };
}

function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: errorFields(error.cause) };
  return { type: error.name, message: error.message, stack: error.stack, ...code, ...cause };
}
