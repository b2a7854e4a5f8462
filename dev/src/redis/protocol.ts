import { probe } from '../processes/probe.ts';

export interface RedisConfiguration {
  readonly port: number;
  readonly password: string;
  readonly directory?: string;
  /** A cluster of this one server, which refuses commands whose keys are in several slots. It has no slots yet. */
  readonly isCluster?: boolean | undefined;
}

/** Passed on stdin, because every user of the machine can see the command line. */
export function redisConfiguration({ port, password, directory, isCluster }: RedisConfiguration): string {
  return [
    `port ${port}`,
    ...(directory === undefined ? [] : ['bind 127.0.0.1', `dir ${JSON.stringify(directory)}`]),
    // Other users of the machine can connect to 127.0.0.1 too.
    `requirepass ${password}`,
    // By default, the second port is above the first one, and may not exist.
    ...(isCluster ? ['cluster-enabled yes', `cluster-port ${port - 10_000}`] : []),
    // Redis contains only rate limits and notifications, which may be lost.
    'save ""',
    'appendonly no',
    '',
  ].join('\n');
}

/** Whether Redis accepts this password, so that another process on the port is not mistaken for it. */
export function isRedisReady(port: number, password: string): Promise<boolean> {
  return probe(port, `AUTH ${password}\r\nPING\r\n`, (answer) => answer.startsWith('+OK\r\n+PONG'));
}
