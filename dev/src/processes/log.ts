import { open } from 'node:fs/promises';

const TAIL_BYTES = 16 * 1024;

/** The last lines of a log: what a person would look at first. Empty when there is no log. */
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

/** A failure that can be acted on: what happened, what the service itself said last, and what to do next. */
export function failure(what: string, lines: readonly string[], next: string): Error {
  const said =
    lines.length > 0
      ? `Its last words:\n${lines.map((line) => `  | ${line}`).join('\n')}`
      : 'It said nothing.';
  return new Error(`${what}\n${said}\nNext: ${next}`);
}
