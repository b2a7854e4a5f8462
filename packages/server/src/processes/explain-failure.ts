interface Failure extends Error {
  readonly code?: string;
  readonly port?: number;
}

/** Codes of PostgreSQL for a wrong password, user or database. */
const refusals: ReadonlySet<unknown> = new Set(['28P01', '28000', '3D000']);
/** The server cannot be reached. */
const unreachable: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]);

/** What to do about an error that ends the process; the stack trace of those that nobody foresaw. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, code, message, port, stack }: Failure = error;
  // Node tries all addresses of a host, and its error says nothing about each.
  if (error instanceof AggregateError && error.errors.length > 0) return explainFailure(error.errors[0]);
  if (name === 'ConfigError' || name === 'SchemaError') return message;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use. Stop the process that uses it, or set ${port === Number(process.env['METRICS_PORT']) ? 'METRICS_PORT' : 'PORT'} to another port.`;
  if (refusals.has(code)) return `PostgreSQL refuses the connection: ${message}. Check DATABASE_URL.`;
  if (unreachable.has(code))
    return `Cannot connect: ${message}. Check DATABASE_URL, and that PostgreSQL runs.`;
  return String(stack);
}
