import type { ClientConfig } from 'pg';

/** A connection of its own for each reader of a training: a read may take an hour. */
export const trainingConnection = (connectionString: string): ClientConfig => ({
  connectionString,
  application_name: 'tastegraph training',
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
});
