import { readFileSync } from 'node:fs';
import type { BaseOptions } from '@platformatic/kafka';
import { usageError } from '../cli-error.ts';

export interface ConnectionOptions {
  readonly brokers: readonly string[];
  readonly tls?: boolean;
  readonly tlsCa?: string;
  readonly sasl?: SaslMechanism;
}

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
type SaslMechanism = (typeof saslMechanisms)[number];

export type Connection = BaseOptions & { readonly bootstrapBrokers: readonly string[] };

/** How to reach the brokers. User name and password come from the environment: everybody can see a command line. */
export function connectionOf(
  options: ConnectionOptions,
  env: Readonly<Record<string, string | undefined>>,
): Connection {
  const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = env;
  const { sasl, tlsCa } = options;
  if (sasl && !(username && password))
    throw usageError('--sasl needs KAFKA_USERNAME and KAFKA_PASSWORD.', 'Set both in the environment.');
  const usesTls = options.tls === true || tlsCa !== undefined;
  return {
    clientId: 'tastegraph',
    bootstrapBrokers: [...options.brokers],
    ...(usesTls && { tls: tlsCa === undefined ? {} : { ca: readFileSync(tlsCa) }, tlsServerName: true }),
    ...(sasl && username && password && { sasl: { mechanism: sasl, username, password } }),
  };
}
