import { exchange } from '../processes/exchange.ts';

export interface RedisConfiguration {
  readonly port: number;
  readonly password: string;
  readonly directory?: string;
}

/** Given on standard input: on the command line every user of the machine would see the password. */
export function redisConfiguration({ port, password, directory }: RedisConfiguration): string {
  return [
    `port ${port}`,
    ...(directory === undefined ? [] : ['bind 127.0.0.1', `dir ${JSON.stringify(directory)}`]),
    // Other users of the machine reach 127.0.0.1 too.
    `requirepass ${password}`,
    // What Redis holds for us may be lost: limits and notices, never records.
    'save ""',
    'appendonly no',
    '',
  ].join('\n');
}

/** Whether Redis answers there to this password: a stranger on the port is not taken for it. */
export function isRedisReady(port: number, password: string): Promise<boolean> {
  return exchange(port, `AUTH ${password}\r\nPING\r\n`, (answer) => answer.startsWith('+OK\r\n+PONG'));
}
