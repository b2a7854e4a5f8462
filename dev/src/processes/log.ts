import { open } from 'node:fs/promises';

const TAIL_BYTES = 16 * 1024;

/** The last lines of a log; empty if there is no log. */
export async function lastLines(logFile: string, count = 20): Promise<string[]> {
  const file = await open(logFile, 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
    return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-count);
  } finally {
    await file.close();
  }
}

/** An error with what happened, the last log lines of the service, and what to do next. */
export function serviceError(what: string, lines: readonly string[], next: string): Error {
  const details =
    lines.length > 0
      ? `Last log lines:\n${lines.map((line) => `  | ${line}`).join('\n')}`
      : 'Its log is empty.';
  return new Error(`${what}\n${details}\nNext: ${next}`);
}
