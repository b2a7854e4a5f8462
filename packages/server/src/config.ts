/**
 * The one place that reads the environment. A setting that is missing or wrong is said here, at start, by its
 * name; nothing else in the server looks at the environment or has a default of its own.
 */
export interface Config {
  readonly databaseUrl: string;
  /** Connections to PostgreSQL a process may hold. */
  readonly databasePoolSize: number;
  /** Absent: each process keeps the limits by itself, which is right as long as there is one. */
  readonly redisUrl: string | undefined;
  readonly host: string;
  readonly port: number;
  /** Where the recommendation call is reached from outside; part of every project's serving_uri. */
  readonly servingBaseUrl: string;
  /** The cell's name: part of every API key made here. */
  readonly cell: string;
  readonly logLevel: string;
  /** Proxies in front whose X-Forwarded-For is believed, as Fastify takes it; none by default. */
  readonly trustProxy: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(environment: Environment = process.env): Config {
  const host = environment['HOST'] || '127.0.0.1';
  const port = integer(environment, 'PORT', 8080, 0, 65_535);
  const baseUrl = environment['BASE_URL'] || `http://${host}:${port}`;
  return {
    databaseUrl: required(environment, 'DATABASE_URL', 'postgres://user:password@host:5432/database'),
    // PostgreSQL works on about two statements a core at once; 16 keep an 8-core server busy from one process.
    databasePoolSize: integer(environment, 'DATABASE_POOL_SIZE', 16, 1, 500),
    redisUrl: environment['REDIS_URL'] || undefined,
    host,
    port,
    servingBaseUrl: (environment['SERVING_BASE_URL'] || baseUrl).replace(/\/+$/, ''),
    cell: cellName(environment['CELL'] || 'main'),
    logLevel: oneOf(environment, 'LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace']),
    trustProxy: environment['TRUST_PROXY'] || undefined,
  };
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

function required(environment: Environment, name: string, example: string): string {
  const value = environment[name];
  if (!value) throw new ConfigError(`${name} is not set. Set it, for example ${name}=${example}`);
  return value;
}

function integer(
  environment: Environment,
  name: string,
  byDefault: number,
  min: number,
  max: number,
): number {
  const text = environment[name];
  if (!text) return byDefault;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

function oneOf(
  environment: Environment,
  name: string,
  byDefault: string,
  allowed: readonly string[],
): string {
  const value = environment[name] || byDefault;
  if (!allowed.includes(value)) throw new ConfigError(`${name} must be one of ${allowed.join(', ')}.`);
  return value;
}

function cellName(value: string): string {
  if (!/^[a-z0-9]{1,16}$/.test(value)) {
    throw new ConfigError('CELL must be 1 to 16 lower-case letters and digits.');
  }
  return value;
}
