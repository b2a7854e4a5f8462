const WARN = 40;
const NAMES: Readonly<Record<number, string>> = { 40: 'warn', 50: 'error', 60: 'fatal' };

/** Formats warnings and errors from the server's log for the terminal. Undefined for all other lines. */
export function formatProblem(line: string, source: 'stdout' | 'stderr'): string | undefined {
  const entry = parse(line);
  // Not a log line: on stderr, it is a crash or a warning from Node.
  if (!entry) return source === 'stderr' && line.trim() !== '' ? line : undefined;
  const level = Number(entry['level']);
  if (!(level >= WARN)) return undefined;
  const cause = entry['err'];
  const reason = isRecord(cause) && typeof cause['message'] === 'string' ? cause['message'] : '';
  const message = typeof entry['msg'] === 'string' ? entry['msg'] : '';
  const parts = [message, message.includes(reason) ? '' : reason].filter((part) => part !== '');
  return `${NAMES[level] ?? 'error'}: ${parts.join(': ') || line}`;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
